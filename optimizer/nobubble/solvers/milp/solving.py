"""Running HiGHS, and reading what it says."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
import pulp
from highspy import Highs, HighsModelStatus, SolutionStatus

from nobubble.order import letter
from nobubble.problem import Problem
from nobubble.solvers.extent import longest, time_unit
from nobubble.solvers.first_starts import constant_first_starts
from nobubble.solvers.milp.constraints import add_constraints
from nobubble.solvers.milp.hint import values_of
from nobubble.solvers.milp.model import Model
from nobubble.solvers.milp.objective import add_objective
from nobubble.solvers.milp.ops import Op, Part, kinds
from nobubble.solvers.milp.variables import Variables, add_variables
from nobubble.solvers.milp.windows import LONGEST, Windows
from nobubble.solvers.outcome import Claim, Outcome, ended_by, judge, without_trying
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch

_SHARE: Final = 1e-6
"""How far a float bound may be off, as a share of the longest schedule."""

_MOST_PAIRS: Final = 25_000
"""Pairs of ops on a rank beyond which the model is not even built: HiGHS would ask nobody for
seconds whether to go on, and prove nothing."""

_FEASIBLE: Final = int(SolutionStatus.kSolutionStatusFeasible)
_INFEASIBLE: Final = (HighsModelStatus.kInfeasible, HighsModelStatus.kUnboundedOrInfeasible)


def milp(
    problem: Problem, watch: Watch, *, start: Solution | None, bound: int, work: float
) -> Outcome:
    """Look for the best schedule of a problem, and prove what can be proved, by a linear model.

    The Zero Bubble paper's formulation (arXiv 2401.10241): an end time for every op, a
    binary variable for every pair of ops on a rank whose order is open, memory as a sum over the
    ops before.

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
        How often HiGHS may ask its branch and bound whether to go on; a model of more than 25,000
        pairs is beyond any budget. Only the wall clock or a request to stop can make two runs
        differ.

    Raises
    ------
    ValueError
        The start does not keep to the problem, or the bound is above its cost.
    """
    outcome = without_trying(problem, watch, start, bound, work)
    if outcome is not None:
        return outcome
    if _pairs(problem) > _MOST_PAIRS:
        return Outcome(start, None, ended_by(watch))
    windows = Windows(problem, _longest(problem, start))
    most = windows.longest if start is None else start.timing.cost(problem)
    model = Model()
    variables = add_variables(model, problem, windows, windows.scaled(bound), windows.scaled(most))
    add_constraints(model, windows, variables)
    add_objective(model, windows, variables)
    values = [] if start is None else values_of(problem, windows, variables, start)
    claim = _run(model, problem, windows, variables, values, watch, work)
    return judge("milp", problem, watch, claim, start=start, bound=bound)


def _pairs(problem: Problem) -> int:
    """Give the number of pairs of ops that share a rank."""
    per_stage = problem.microbatches * (2 + problem.may_split.astype(int))
    of_rank = [int(per_stage[problem.stages_on(rank)].sum()) for rank in range(problem.ranks)]
    return sum(n * (n - 1) // 2 for n in of_rank)


def _longest(problem: Problem, start: Solution | None) -> int:
    """Give by when every op has ended in the schedules that are looked for, in ns."""
    if start is None:
        return longest(problem)
    if problem.objective == "makespan":
        return start.timing.makespan
    constant = constant_first_starts(problem)
    latest = max(longest(problem) if begun is None else begun for begun in constant)
    return min(longest(problem), latest + start.timing.rank_span)


def _run(
    model: Model,
    problem: Problem,
    windows: Windows,
    variables: Variables,
    values: list[tuple[pulp.LpVariable, float]],
    watch: Watch,
    work: float,
) -> Claim:
    """Run the solver until it is done or the watch is over.

    PuLP hands over the model; what became of it is asked of HiGHS itself, since PuLP 3 calls
    optimal what a limit or a request ended.
    """
    left = watch.seconds_left()
    solver = pulp.HiGHS(
        msg=False,
        threads=1,
        gapRel=0.0,
        gapAbs=0.0,
        timeLimit=None if left is None else left + 0.1,  # Where HiGHS asks nobody.
        output_flag=False,
        random_seed=0,
    )
    solver.createAndConfigureSolver(model.lp)
    solver.buildSolverModel(model.lp)
    highs: Highs = model.lp.solverModel
    column = {variable.name: at for at, variable in enumerate(model.used_columns())}
    values = [(variable, value) for variable, value in values if variable.name in column]
    if values:
        highs.setSolution(
            len(values),
            np.array([column[variable.name] for variable, _ in values], dtype=np.int32),
            np.array([value for _, value in values], dtype=np.float64),
        )
    asked = 0

    def count(event: Any) -> None:
        """End the run when its work is done."""
        nonlocal asked
        asked += 1
        if asked >= work:
            event.interrupt()

    highs.HandleUserInterrupt = True
    highs.cbMipInterrupt += count
    with watch.cancelling(highs.cancelSolve):
        highs.run()
    status, info = highs.getModelStatus(), highs.getInfo()
    solution = highs.getSolution()
    has_schedule = info.primal_solution_status == _FEASIBLE and solution.value_valid
    proven = info.mip_dual_bound
    if not model.has_choices():  # Then HiGHS solves a linear program, and sets no such bound.
        is_optimal = status == HighsModelStatus.kOptimal
        proven = info.objective_function_value if is_optimal else -math.inf
    found = dict(zip(column, solution.col_value, strict=True)) if has_schedule else {}
    return Claim(
        rows=_rows(variables, found) if has_schedule else None,
        cost=None,
        lower_bound=_whole(problem, windows, proven),
        is_complete=status in _INFEASIBLE and not watch.cut_short,
    )


def _whole(problem: Problem, windows: Windows, bound: float) -> int:
    """Give a float bound as a cost in ns that is possible, allowing for its error; 0 for none."""
    if not math.isfinite(bound):
        return 0
    unit = time_unit(problem)
    certain = windows.nanoseconds(bound - _SHARE * LONGEST)
    return max(0, math.ceil(certain / unit) * unit)


def _rows(v: Variables, value: dict[str, float]) -> list[list[int]]:
    """Give the letters of every rank, by how many ops come before each.

    A variable that no row uses has no value, and may have any.
    """

    def is_fused(op: Op) -> bool:
        choice = v.fused.get((op.stage, op.microbatch))
        return choice is not None and value.get(choice.name, 0) > 0.5

    def comes_before(a: Op, b: Op) -> bool:
        constant, terms = v.before(a, b)
        return constant + sum(factor * value.get(x.name, 0) for factor, x in terms) > 0.5

    rows = []
    for ops in v.ops:
        real = [op for op in ops if not (op.part == Part.WEIGHT and is_fused(op))]
        before = {op: sum(comes_before(other, op) for other in real if other != op) for op in real}
        row = []
        for op in sorted(real, key=lambda op: (before[op], op)):
            kind, instead = kinds(v.problem, op)
            ran = instead if instead is not None and is_fused(op) else kind
            row.append(letter(op.stage, ran))
        rows.append(row)
    return rows
