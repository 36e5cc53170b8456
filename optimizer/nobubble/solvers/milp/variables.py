"""The variables of the model: when ops end, which of two comes first, how backwards run."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import pulp

from nobubble.problem import Problem
from nobubble.solvers.milp.model import Model, Term
from nobubble.solvers.milp.ops import Op, Part, kinds, ops_on, precedes
from nobubble.solvers.milp.windows import Windows


@dataclass(frozen=True, slots=True)
class Variables:
    """All variables.

    Attributes
    ----------
    cost : variable
        In the model's time.
    ops : list of list of Op
        Of every rank.
    end : dict of Op to variable
        In the model's time.
    first : dict of pair of Op to binary variable
        Of a pair on a rank that may run in either order: 1 where the first named comes first.
    fused : dict of (stage, microbatch) to binary variable
        1 where a backward that has the choice runs as BW.
    place : dict of Op to variable
        A number for every op that may take no time, higher than those of all it waits for.
    """

    problem: Problem
    cost: pulp.LpVariable
    ops: list[list[Op]] = field(default_factory=list)
    end: dict[Op, pulp.LpVariable] = field(default_factory=dict)
    first: dict[tuple[Op, Op], pulp.LpVariable] = field(default_factory=dict)
    fused: dict[tuple[int, int], pulp.LpVariable] = field(default_factory=dict)
    place: dict[Op, pulp.LpVariable] = field(default_factory=dict)

    def before(self, a: Op, b: Op) -> tuple[int, list[Term]]:
        """Give 1 where `a` comes before `b` on their rank, else 0, as a constant and terms."""
        if (a, b) in self.first:
            return 0, [(1, self.first[a, b])]
        if (b, a) in self.first:
            return 1, [(-1, self.first[b, a])]
        return int(precedes(self.problem, a, b)), []

    def time(self, windows: Windows, op: Op) -> tuple[float, list[Term]]:
        """Give how long an op runs in the model's time, as a constant and terms."""
        kind, instead = kinds(self.problem, op)
        time = self.problem.time[op.stage]
        if instead is None:
            return windows.scaled(int(time[kind])), []
        fused = self.fused[op.stage, op.microbatch]
        other = 0 if op.part == Part.WEIGHT else int(time[instead])
        return windows.scaled(int(time[kind])), [(windows.scaled(other - int(time[kind])), fused)]


def add_variables(
    model: Model, problem: Problem, windows: Windows, least: float, most: float
) -> Variables:
    """Make the variables.

    Parameters
    ----------
    model, problem, windows
    least, most : float
        Between which the cost lies, in the model's time.
    """
    variables = Variables(problem, model.variable(least, most))
    for rank in range(problem.ranks):
        variables.ops.append(ops_on(problem, rank))
    for ops in variables.ops:
        for op in ops:
            low, high = windows.earliest_end(op), windows.latest_end(op)
            variables.end[op] = model.variable(windows.scaled(low), windows.scaled(high))
            _, instead = kinds(problem, op)
            if instead is not None and op.part == Part.BACKWARD:
                variables.fused[op.stage, op.microbatch] = model.binary()
        for a, b in combinations(ops, 2):
            if not precedes(problem, a, b) and not precedes(problem, b, a):
                variables.first[a, b] = model.binary()
    idle = [op for ops in variables.ops for op in ops if _may_take_no_time(problem, op)]
    for op in idle:
        variables.place[op] = model.variable(0, len(idle) - 1)
    return variables


def _may_take_no_time(problem: Problem, op: Op) -> bool:
    kind, instead = kinds(problem, op)
    time = problem.time[op.stage]
    return bool(time[kind] == 0 or (instead is not None and time[instead] == 0))
