"""What the list scheduler goes by: when ops are due, and what it waits for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nobubble.problem import KINDS, Problem
from nobubble.profile.model import Cost
from nobubble.solvers.list_scheduler import Due, ListScheduler, Rules
from nobubble.solvers.rules import backward_modes
from tests.published import HALF, uniform, v


def passed(problem: Problem, due: Due, hold_eighths: int = 0) -> list[str]:
    """Run a pass without caps, and give the order of every rank as text."""
    scheduler = ListScheduler(problem)
    none = np.full(problem.stages, problem.microbatches, dtype=np.int64)
    rules = Rules(none, none, backward_modes(problem)[0], 8, hold_eighths, 0, due)
    assert scheduler.run(rules)
    order = scheduler.order()
    return [
        " ".join(KINDS[letter % 4] + str(letter // 4) for letter in order.of_rank(rank))
        for rank in range(problem.ranks)
    ]


def of(forward: list[int], backward: list[int], period: int) -> Due:
    """Give when ops are due."""
    return Due(np.array(forward, np.int64), np.array(backward, np.int64), period)


def test_what_is_due_first_goes_first() -> None:
    """Tests one rank: backwards before all F's, F's before all backwards, and in turn."""
    problem = Problem.of(uniform(1, 3, (1, 1, 1)))
    assert passed(problem, Due.oldest_first(problem)) == ["F0 B0 F0 B0 F0 B0 W0 W0 W0"]
    assert passed(problem, of([0], [9], 1)) == ["F0 F0 F0 B0 B0 B0 W0 W0 W0"]
    assert passed(problem, of([0], [3], 2)) == ["F0 F0 B0 F0 B0 B0 W0 W0 W0"]


def test_memory_goes_before_what_is_due() -> None:
    """Tests that an F that is due waits for the W that makes room."""
    problem = Problem.of(uniform(1, 3, (1, 1, 1), limit=3 * HALF))
    assert passed(problem, of([0], [9], 1)) == ["F0 B0 F0 B0 W0 F0 B0 W0 W0"]


def test_an_op_is_held_back_for_one_that_is_due_before_it() -> None:
    """Tests a V of two ranks: the F that comes back up in 8 ns goes before another of 12 ns."""
    profile = v(uniform(2, 3, (10, 10, 10), chunks=2))
    first = replace(profile.stages[0], F=Cost(12, 2 * HALF))
    problem = Problem.of(replace(profile, stages=(first, *profile.stages[1:])))
    due = of([0, 1, 2, 3], [103, 102, 101, 100], 2)
    assert passed(problem, due)[0].startswith("F0 F0 F0 F3")
    assert passed(problem, due, hold_eighths=4)[0].startswith("F0 F0 F0 F3")
    assert passed(problem, due, hold_eighths=8)[0].startswith("F0 F0 F3 F0")
