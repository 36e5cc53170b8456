"""Running CP-SAT, and reading what it says."""

from __future__ import annotations

import threading
from typing import Final

from ortools.sat.python import cp_model

from nobubble.order import letter
from nobubble.problem import BW, F, Problem
from nobubble.solvers.cpsat.clock import LONGEST, Clock
from nobubble.solvers.cpsat.constraints import add_constraints
from nobubble.solvers.cpsat.hint import add_hint
from nobubble.solvers.cpsat.objective import add_objective
from nobubble.solvers.cpsat.variables import Variables, add_variables
from nobubble.solvers.outcome import Claim, Outcome, ended_by, judge, without_trying
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch

_MOST_OPS: Final = 50_000
"""Ops beyond which the model is not even built: seconds in which nobody looks at the clock."""

_EXACT: Final = 2**53
"""Up to here a float is a whole number without loss."""


def cpsat(
    problem: Problem, watch: Watch, *, start: Solution | None, bound: int, work: float
) -> Outcome:
    """Look for the best schedule of a problem, and prove what can be proved, with CP-SAT.

    Parameters
    ----------
    problem : Problem
    watch : Watch
        Asked some 20 times a second; a request to stop before the start counts too.
    start : Solution or None
        A schedule to start from: nothing dearer is looked for.
    bound : int
        A lower bound that is known, in ns: nothing cheaper is looked for.
    work : float
        CP-SAT's deterministic seconds, of 2 to 4.5 real ones each; more than 50,000 ops are
        beyond any budget. Only the wall clock or a request to stop can make two runs differ.

    Raises
    ------
    ValueError
        The start does not keep to the problem, or the bound is above its cost.
    """
    outcome = without_trying(problem, watch, start, bound, work)
    if outcome is not None:
        return outcome
    if 3 * problem.stages * problem.microbatches > _MOST_OPS:
        return Outcome(start, None, ended_by(watch))
    clock = Clock.of(problem)
    longest = clock.longest // clock.ticks
    least = -(-bound // clock.unit)
    most = longest if start is None else start.timing.cost(problem) // clock.unit
    if clock.longest > LONGEST:
        return Outcome(start, None, ended_by(watch))
    model = cp_model.CpModel()
    variables = add_variables(model, clock, least, most)
    add_constraints(model, clock, variables)
    add_objective(model, problem, clock, variables)
    if start is not None:
        add_hint(model, clock, variables, start.order, most)
    claim = _run(model, problem, clock, variables, watch, work)
    return judge("cpsat", problem, watch, claim, start=start, bound=bound)


def _run(
    model: cp_model.CpModel,
    problem: Problem,
    clock: Clock,
    variables: Variables,
    watch: Watch,
    work: float,
) -> Claim:
    """Run the solver until it is done or the watch is over."""
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = 0
    # The linear relaxation proves nothing here, and takes most of the time (p=4, m=8: 20 times).
    solver.parameters.linearization_level = 0
    solver.parameters.max_deterministic_time = work
    solver.parameters.log_search_progress = False
    left = watch.seconds_left()
    if left is not None:
        solver.parameters.max_time_in_seconds = left + 1  # In case no thread comes to stop it.
    bounds = [0.0]
    lock = threading.Lock()

    def note(value: float) -> None:
        """Keep a bound only if it was proved before anyone asked to stop."""
        with lock:
            if not watch.cut_short:
                bounds.append(value)

    solver.best_bound_callback = note
    with watch.cancelling(solver.stop_search):
        status = solver.solve(model)
    has_schedule = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    is_complete = status in (cp_model.OPTIMAL, cp_model.INFEASIBLE) and not watch.cut_short
    best = max(bounds)
    return Claim(
        rows=_rows(solver, problem, variables) if has_schedule else None,
        cost=round(solver.objective_value) * clock.unit if has_schedule else None,
        lower_bound=round(best) * clock.unit if best < _EXACT else 0,
        is_complete=is_complete,
    )


def _rows(solver: cp_model.CpSolver, problem: Problem, v: Variables) -> list[list[int]]:
    """Give the letters of every rank in the order of their starts."""
    starts: list[list[tuple[int, int]]] = [[] for _ in range(problem.ranks)]
    for s in range(problem.stages):
        row = starts[problem.rank_of[s]]
        for j in range(problem.microbatches):
            is_fused = solver.boolean_value(v.fused[s][j]) if v.fused[s] else None
            for runs in (v.forward[s], v.backward[s], v.weight[s]):
                for kind in runs[j].intervals if runs else ():
                    if kind == F or is_fused is None or is_fused == (kind == BW):
                        row.append((solver.value(runs[j].start), letter(s, kind)))
    return [[letter for _, letter in sorted(row)] for row in starts]
