"""Tests that what a solver says is believed only as far as it can be checked."""

from __future__ import annotations

import numpy as np
import pytest

from nobubble.order import Order
from nobubble.problem import UNLIMITED, B, F, Problem, W
from nobubble.solvers.outcome import Claim, Outcome, StoppedBy, judge
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch
from tests.bounds.problems import linear

GOOD = [[F, F, B, W, B, W]]
"""Takes 6; holds two microbatches."""
FRUGAL = [[F, B, W, F, B, W]]
"""Takes 6; holds one."""
CIRCLE = [[B, F, F, W, B, W]]


def one_rank(capacity: int = UNLIMITED) -> Problem:
    return linear(microbatches=2, times=[(1, 1, 1)], memories=[(2, -1, -1)], capacity=[capacity])


def judged(
    claim: Claim, problem: Problem, start: Solution | None = None, bound: int = 0
) -> Outcome:
    return judge("a solver", problem, Watch(), claim, start=start, bound=bound)


def test_an_optimum_that_costs_what_was_said_is_a_proof() -> None:
    """Tests the case in which all is well."""
    outcome = judged(Claim(GOOD, 6, 6, is_complete=True), one_rank())
    assert outcome.solution is not None
    assert outcome.solution.method == "a solver"
    assert (outcome.lower_bound, outcome.stopped_by) == (6, "proof")


@pytest.mark.parametrize("said", [5, 7])
def test_an_optimum_that_costs_something_else_is_no_proof(said: int) -> None:
    """Tests that the order is timed again, and its own cost counts."""
    outcome = judged(Claim(GOOD, said, min(said, 5), is_complete=True), one_rank())
    assert outcome.solution is not None
    assert outcome.solution.timing.makespan == 6
    assert (outcome.lower_bound, outcome.stopped_by) == (5, "work")


def test_a_bound_above_a_schedule_that_exists_is_dropped() -> None:
    """Tests that a bound which a known schedule disproves is not reported."""
    outcome = judged(Claim(GOOD, 7, 7, is_complete=True), one_rank())
    assert (outcome.lower_bound, outcome.stopped_by) == (None, "work")


@pytest.mark.parametrize("rows", [GOOD, CIRCLE, [[F, B, W]]])
def test_an_order_that_does_not_work_is_none(rows: list[list[int]]) -> None:
    """Tests an order over the memory limit, one that waits for itself, and one that lacks ops."""
    problem = one_rank(capacity=2)
    outcome = judged(Claim(rows, 6, 6, is_complete=True), problem)
    assert (outcome.solution, outcome.stopped_by) == (None, "work")
    start = Solution.of("start", problem, Order.of(FRUGAL))
    outcome = judged(Claim(rows, 5, 5, is_complete=True), problem, start)
    assert outcome.solution is start
    assert (outcome.lower_bound, outcome.stopped_by) == (5, "work")


def test_infeasible_is_not_believed_beside_a_schedule() -> None:
    """Tests a solver that says there is no schedule, although one was given."""
    problem = one_rank()
    start = Solution.of("start", problem, Order.of(GOOD))
    outcome = judged(Claim(None, None, 0, is_complete=True), problem, start)
    assert outcome == Outcome(start, None, "work")


def test_infeasible_is_a_proof_when_all_was_looked_at() -> None:
    """Tests that only a complete search proves that there is no schedule."""
    for is_complete, stopped_by in ((True, "proof"), (False, "work")):
        outcome = judged(Claim(None, None, 0, is_complete=is_complete), one_rank())
        assert outcome == Outcome(None, None, _word(stopped_by))


def test_a_bound_that_was_given_is_not_reported_as_proved() -> None:
    """Tests that the solver gets no credit for the bound that it was told."""
    outcome = judged(Claim(GOOD, 6, 6, is_complete=True), one_rank(), bound=6)
    assert (outcome.lower_bound, outcome.stopped_by) == (None, "proof")
    outcome = judged(Claim(GOOD, 6, 5, is_complete=False), one_rank(), bound=5)
    assert (outcome.lower_bound, outcome.stopped_by) == (None, "work")


def test_a_way_of_running_backward_that_is_not_allowed_is_refused() -> None:
    """Tests an order that fuses where the stage only splits."""
    problem = one_rank()
    assert not np.any(problem.may_fuse)
    outcome = judged(Claim([[F, F, 3, 3]], 6, 6, is_complete=True), problem)
    assert outcome.solution is None


def _word(text: str) -> StoppedBy:
    return "proof" if text == "proof" else "work"
