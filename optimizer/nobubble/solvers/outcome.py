"""What an exact solver comes back with, after nothing that it claims was taken on trust."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from nobubble.order import Order
from nobubble.problem import BW, B, Problem
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch

StoppedBy = Literal["proof", "work", "time_limit", "stopped"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an exact solver found and proved.

    Attributes
    ----------
    solution : Solution or None
        The best schedule known, the one to start from included. None where there is none: with
        ``stopped_by`` "proof", no schedule exists.
    lower_bound : int or None
        No schedule costs less, in ns. None where the solver proved no more than the bound that it
        was given.
    stopped_by : {"proof", "work", "time_limit", "stopped"}
        A proof that the schedule is optimal or that there is none; the end of the work budget; the
        wall clock; or a request.
    """

    solution: Solution | None
    lower_bound: int | None
    stopped_by: StoppedBy


@dataclass(frozen=True, slots=True)
class Claim:
    """What a solver says.

    Attributes
    ----------
    rows : sequence of sequence of int, or None
        The letters of every rank; None where it has no schedule.
    cost : int or None
        What it says that this schedule costs, in ns.
    lower_bound : int
        What it says that no schedule can beat, in ns.
    is_complete : bool
        Whether it says that it has looked at everything, and was not interrupted.
    """

    rows: Sequence[Sequence[int]] | None
    cost: int | None
    lower_bound: int
    is_complete: bool


def keeps_to(problem: Problem, solution: Solution) -> bool:
    """Say whether a schedule fits into memory and runs backward only in ways that are allowed."""
    stage, kind = np.divmod(solution.order.letters, 4)
    return bool(
        (solution.timing.peak_memory - problem.static_memory <= problem.capacity).all()
        and problem.may_split[stage[kind == B]].all()
        and problem.may_fuse[stage[kind == BW]].all()
    )


def without_trying(
    problem: Problem, watch: Watch, start: Solution | None, bound: int, work: float
) -> Outcome | None:
    """Give the outcome where there is nothing to do or no leave to do it, else None.

    Raises
    ------
    ValueError
        The start is no schedule of the problem, or the bound is above its cost.
    """
    if start is not None:
        cost = start.timing.cost(problem)
        if not keeps_to(problem, start):
            raise ValueError(f"{start.method}, to start from, does not keep to the problem")
        if cost < bound:
            raise ValueError(f"the lower bound {bound} is above {cost}, the cost of {start.method}")
        if cost == bound:
            return Outcome(start, None, "proof")
    if watch.is_over() or work <= 0:
        return Outcome(start, None, ended_by(watch))
    return None


def judge(
    method: str,
    problem: Problem,
    watch: Watch,
    claim: Claim,
    *,
    start: Solution | None,
    bound: int,
) -> Outcome:
    """Make an outcome of what a solver says, believing only what can be checked.

    Its order is timed again and its memory checked. A claimed optimum is one only where the order
    costs what the solver says, and a bound is one only where no known schedule is below it.

    Parameters
    ----------
    method : str
        The solver's name.
    problem, watch, claim
    start : Solution or None
        The schedule that it started from; kept unless a cheaper one was found.
    bound : int
        The lower bound that it was given, in ns.
    """
    found = None if claim.rows is None else _retimed(method, problem, claim.rows)
    best = start
    if found is not None and (
        start is None or found.timing.cost(problem) < start.timing.cost(problem)
    ):
        best = found
    if best is None:
        none_exists = claim.is_complete and claim.rows is None
        return Outcome(None, None, "proof" if none_exists else ended_by(watch))
    cost = best.timing.cost(problem)
    proven = claim.lower_bound if claim.lower_bound <= cost else bound
    is_optimum = (
        claim.is_complete and found is not None and found.timing.cost(problem) == claim.cost == cost
    )
    if is_optimum or max(proven, bound) == cost:
        return Outcome(best, cost if cost > bound else None, "proof")
    return Outcome(best, proven if proven > bound else None, ended_by(watch))


def _retimed(method: str, problem: Problem, rows: Sequence[Sequence[int]]) -> Solution | None:
    """Time an order; None where it is none or does not keep to the problem."""
    try:
        solution = Solution.of(method, problem, Order.of(rows))
    except ValueError:
        return None
    return solution if keeps_to(problem, solution) else None


def ended_by(watch: Watch) -> StoppedBy:
    """Say what ended a solver that had not proved anything."""
    if not watch.cut_short:
        return "work"
    return "stopped" if watch.was_stopped else "time_limit"
