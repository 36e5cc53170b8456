"""What the model minimises."""

from __future__ import annotations

from ortools.sat.python import cp_model

from nobubble.problem import Problem
from nobubble.solvers.cpsat.clock import Clock
from nobubble.solvers.cpsat.variables import Variables
from nobubble.solvers.first_starts import constant_first_starts, first_stages


def add_objective(model: cp_model.CpModel, problem: Problem, clock: Clock, v: Variables) -> None:
    """Minimise the cost, in units: makespan, or the longest rank span.

    With K ticks in a unit, an op that ends at tick e ends e // K units after the start, so for
    the makespan K * cost + K - 1 >= e for the last ops of every stage. For the rank span, K *
    (cost + first start of the rank) + K - 1 >= e, the first start in whole units.
    """
    constant = constant_first_starts(problem)
    for rank, first in enumerate(first_stages(problem)):
        begun: int | cp_model.IntVar = 0
        if problem.objective == "rank_span":
            start = constant[rank]
            begun = (
                start // clock.unit
                if start is not None
                else _whole_units(model, clock, v, rank, first)
            )
        for s in problem.stages_on(rank):
            ends = [v.backward[s][-1].end] if problem.may_fuse[s] else []
            if problem.may_split[s]:
                ends.append(v.weight[s][-1].end)
            for end in ends:
                model.add(clock.ticks * (v.cost + begun) + (clock.ticks - 1) >= end)
    model.minimize(v.cost)


def _whole_units(
    model: cp_model.CpModel, clock: Clock, v: Variables, rank: int, first: int
) -> cp_model.IntVar:
    """Give a rank's first start in whole units, rounded down."""
    units = model.new_int_var(0, clock.longest // clock.ticks, f"first start of rank {rank}")
    model.add(clock.ticks * units <= v.forward[first][0].start)
    return units
