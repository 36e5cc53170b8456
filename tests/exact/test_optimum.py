"""Tests that the exact solvers find the cheapest schedule, and prove nothing that is not so."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from nobubble.order import Order
from nobubble.problem import BW, UNLIMITED, B, F, Problem, W
from nobubble.profile.model import Objective
from nobubble.solvers.first_starts import constant_first_starts
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch
from tests.bounds.exhaustive import NEVER, cheapest
from tests.bounds.problems import linear
from tests.exact.problems import ENOUGH, SOLVERS, optimum_of, tiny_problems


@pytest.fixture(params=SOLVERS)
def name(request: pytest.FixtureRequest) -> str:
    """Each solver in turn."""
    return str(request.param)


def test_finds_the_optimum_of_exhaustive_search(name: str) -> None:
    """Tests that cost and proof agree with trying every order, on 40 random tiny problems."""
    seen: Counter[str] = Counter()
    for problem, optimum in islice(tiny_problems(seed=6), 40):
        outcome = SOLVERS[name](problem, Watch(), start=None, bound=0, work=ENOUGH[name])
        assert optimum_of(outcome, problem) == optimum, problem
        assert (outcome.lower_bound or 0) in (0, optimum)
        seen["limited"] += bool((problem.capacity < UNLIMITED).any())
        seen["free to fuse"] += bool((problem.may_split & problem.may_fuse).any())
        seen["fused only"] += bool((~problem.may_split).any())
        seen["several stages a rank"] += problem.stages > problem.ranks
        seen["ops without time"] += bool((problem.time[:, F] == 0).any())
        seen[problem.objective] += 1
    assert seen["several stages a rank"] >= 3
    wanted = ("limited", "free to fuse", "fused only", "ops without time", "makespan", "rank_span")
    assert min(seen[kind] for kind in wanted) >= 10, seen


def test_no_bound_is_above_the_optimum_however_early_it_stops(name: str) -> None:
    """Tests that what a solver proves before its work is done holds too."""
    works = {"cpsat": (1e-5, 1e-4, 1e-3), "milp": (1.0, 3.0, 10.0)}[name]
    stopped = 0
    for problem, optimum in islice(tiny_problems(seed=2, most_ops=36), 15):
        for work in works:
            outcome = SOLVERS[name](problem, Watch(), start=None, bound=0, work=work)
            assert outcome.lower_bound is None or outcome.lower_bound <= optimum
            if outcome.stopped_by == "proof":
                assert optimum_of(outcome, problem) == optimum
            elif outcome.solution is not None:
                assert outcome.solution.timing.cost(problem) >= optimum
            stopped += outcome.stopped_by == "work"
    assert stopped > 0


def test_a_start_and_a_bound_do_not_change_the_optimum(name: str) -> None:
    """Tests that the optimum is found from a schedule and a bound just below or at it."""
    for problem, optimum in islice(tiny_problems(seed=3), 20):
        if optimum == NEVER:
            continue
        first = SOLVERS[name](problem, Watch(), start=None, bound=optimum, work=ENOUGH[name])
        assert optimum_of(first, problem) == optimum
        assert first.lower_bound is None, "the bound was given, not proved"
        start = first.solution
        again = SOLVERS[name](
            problem, Watch(), start=start, bound=max(0, optimum - 1), work=ENOUGH[name]
        )
        assert optimum_of(again, problem) == optimum
        assert again.solution is start
        assert again.lower_bound == (optimum if optimum > 0 else None)


def test_improves_a_bad_start(name: str) -> None:
    """Tests that a start with one microbatch after the other is left behind."""
    problem = linear(microbatches=3, times=[(3, 4, 2), (3, 4, 2)], latency=1)
    letters = [[4 * s + kind for _ in range(3) for kind in (F, B, W)] for s in range(2)]
    start = Solution.of("bad", problem, Order.of(letters))
    optimum = cheapest(problem).cost
    assert start.timing.makespan > optimum
    outcome = SOLVERS[name](problem, Watch(), start=start, bound=0, work=ENOUGH[name])
    assert optimum_of(outcome, problem) == optimum
    assert outcome.solution is not None
    assert outcome.solution.method == name


def test_times_and_memory_may_be_large_and_crooked(name: str) -> None:
    """Tests that days in nanoseconds and terabytes in bytes give the optimum to the nanosecond."""
    second, mib = 1_000_000_007, 2**20 + 1
    small = linear(
        microbatches=3,
        times=[(1, 2, 1), (2, 1, 2)],
        memories=[(2, -1, -1), (2, -1, -1)],
        capacity=[4, 3],
        latency=1,
    )
    optimum = cheapest(small).cost
    large = replace(
        small,
        time=small.time * 3600 * second,
        forward_latency=small.forward_latency * 3600 * second,
        backward_latency=small.backward_latency * 3600 * second,
        memory=small.memory * 1000 * mib,
        capacity=small.capacity * 1000 * mib + 999 * mib,
    )
    outcome = SOLVERS[name](large, Watch(), start=None, bound=0, work=ENOUGH[name])
    assert optimum_of(outcome, large) == optimum * 3600 * second


def test_cpsat_is_exact_where_times_have_nothing_in_common() -> None:
    """Tests that nanoseconds that differ in the last digit are told apart."""
    times: list[tuple[int, ...]] = [
        (29_718_123, 29_444_001, 19_927_777),
        (29_718_122, 29_444_002, 19_927_776),
    ]
    problem = linear(microbatches=3, times=times, latency=527_001)
    outcome = SOLVERS["cpsat"](problem, Watch(), start=None, bound=0, work=30)
    assert optimum_of(outcome, problem) == cheapest(problem).cost


@pytest.mark.parametrize("objective", ["makespan", "rank_span"])
def test_no_schedule_under_the_smallest_memory(name: str, objective: Objective) -> None:
    """Tests that a limit one byte too small, or below zero, is proved infeasible."""
    fits = linear(
        microbatches=2,
        times=[(1, 1, 1), (1, 1, 1)],
        memories=[(5, -2, -3), (4, -4, 0)],
        capacity=[5, 4],
        objective=objective,
    )
    solve = SOLVERS[name]
    outcome = solve(fits, Watch(), start=None, bound=0, work=ENOUGH[name])
    assert outcome.solution is not None
    for capacity in ([4, 4], [5, 3], [-1, 4]):
        problem = replace(fits, capacity=np.array(capacity))
        outcome = solve(problem, Watch(), start=None, bound=0, work=ENOUGH[name])
        assert (outcome.solution, outcome.lower_bound) == (None, None)
        assert outcome.stopped_by == "proof"


def test_a_rank_does_not_begin_late_to_seem_shorter(name: str) -> None:
    """Tests rank span where the order decides when ranks begin, against exhaustive search.

    Two stages on rank 0 come before the first of rank 1, which begins later the more F's of other
    microbatches run in between; but later than its order allows does not count.
    """
    for problem, optimum in islice(tiny_problems(seed=4, most_ops=21, begins_late=True), 30):
        outcome = SOLVERS[name](problem, Watch(), start=None, bound=0, work=ENOUGH[name])
        assert optimum_of(outcome, problem) == optimum, problem


def test_a_late_first_start_does_not_prove_too_much(name: str) -> None:
    """Tests a problem in which a rank that may idle before its first op would seem to span 42."""
    placed = linear(
        microbatches=3,
        times=[(1, 1, 0), (5, 0, 1), (2, 6, 6), (0, 1, 6)],
        memories=[(2, -1, -1), (2, 0, -2), (2, 0, -2), (2, -2, 0)],
        objective="rank_span",
    )
    problem = replace(
        placed,
        ranks=3,
        rank_of=np.array([1, 1, 0, 2]),
        capacity=np.array([4, 36, 2]),
        static_memory=np.zeros(3, dtype=np.int64),
    )
    assert cheapest(problem).cost == 43
    outcome = SOLVERS[name](problem, Watch(), start=None, bound=0, work=ENOUGH[name])
    assert optimum_of(outcome, problem) == 43


def test_first_starts_are_constants_on_the_usual_placements() -> None:
    """Tests when every rank begins: at once after the F's before it, where nothing can be ahead."""
    problem = linear(microbatches=2, times=[(3, 1, 1), (4, 1, 1), (5, 1, 1)], latency=2)
    assert constant_first_starts(problem) == [0, 5, 11]
    placed = replace(problem, ranks=2)
    assert constant_first_starts(replace(placed, rank_of=np.array([0, 1, 0]))) == [0, 5]
    assert constant_first_starts(replace(placed, rank_of=np.array([1, 0, 0]))) == [5, 0]
    assert constant_first_starts(replace(placed, rank_of=np.array([0, 0, 1]))) == [0, None]


def test_a_backward_is_fused_exactly_where_that_pays(name: str) -> None:
    """Tests that each microbatch has its own choice: one BW, one B and W."""
    problem = linear(microbatches=2, times=[(1, 1, 2), (1, 1, 2)])
    time = problem.time.copy()
    time[:, BW] = 2
    free = replace(problem, time=time, may_fuse=np.array([True, True]))
    optimum = cheapest(free).cost
    assert optimum < min(cheapest(problem).cost, _all_fused(free))
    outcome = SOLVERS[name](free, Watch(), start=None, bound=0, work=ENOUGH[name])
    assert optimum_of(outcome, free) == optimum


def _all_fused(problem: Problem) -> int:
    return cheapest(replace(problem, may_split=np.zeros_like(problem.may_split))).cost
