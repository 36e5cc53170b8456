"""The local search: never worse than its start, the same everywhere, and better than published."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nobubble.problem import Problem
from nobubble.profile.model import Cost, Objective, Profile
from nobubble.solve import solve
from nobubble.solvers.greedy import greedy
from nobubble.solvers.memory import smallest_capacities
from nobubble.solvers.search import round as rounds
from nobubble.solvers.search.round import anneal_round
from nobubble.solvers.search.search import search
from nobubble.solvers.search.strings import Strings
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch
from nobubble.timing import time_of
from tests.bounds.exhaustive import NEVER, cheapest
from tests.bounds.instances import random_problem
from tests.published import HALF, bubble, case_profile, row_profile, search_cases, table_rows
from tests.strategies import OBJECTIVES, orders, profiles


def searched(problem: Problem, starts: list[Solution], work: int, seed: int = 0) -> Solution:
    """Search from some schedules, and give the best of them and of what is found."""
    known = list(starts)
    search(problem, starts, Watch(), bound=0, work=work, seed=seed, found=known.append)
    return min(known, key=lambda solution: solution.rank_of_merit(problem))


@given(st.data())
def test_strings_stand_for_the_order_they_were_made_from(data: st.DataObject) -> None:
    """Tests that fused backwards survive the way to the kernel and back."""
    problem = Problem.of(data.draw(profiles()))
    order = data.draw(orders(problem))
    again = Strings.of(problem, order).order(problem)
    assert np.array_equal(again.letters, order.letters)
    assert np.array_equal(again.offsets, order.offsets)


@settings(max_examples=60)
@given(st.data(), st.integers(0, 2**32 - 1))
def test_any_start_leads_to_a_schedule_that_is_no_worse(data: st.DataObject, seed: int) -> None:
    """Tests any placement and backward under the tightest limits that the start keeps to.

    What the kernel says of the cost is what timing the order anew gives.
    """
    problem = Problem.of(data.draw(profiles()))
    order = data.draw(orders(problem))
    peak = time_of(problem, order).peak_memory - problem.static_memory
    problem = replace(problem, capacity=np.maximum(peak, smallest_capacities(problem)))
    start = Solution.of("start", problem, order)
    found = anneal_round(
        problem, start, Watch(), target=0, work=30_000, hot=1.0, cold=0.01, seed=seed
    )
    assert found.timing.cost(problem) <= start.timing.cost(problem)
    assert (found.timing.peak_memory - problem.static_memory <= problem.capacity).all()


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_best_of_all_orders_is_found(objective: Objective) -> None:
    """Tests tiny problems of every kind against all their schedules."""
    rng = random.Random(3)
    complete = 0
    for _ in range(25):
        problem = random_problem(rng, objective, most_ops=24)
        starts = greedy(_unlimited_profile(problem), problem, Watch())
        cost = searched(problem, starts, 200_000).timing.cost(problem)
        better = cheapest(problem, below=cost)
        assert better.cost == NEVER
        complete += better.complete
    assert complete >= 20


def test_pauses_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that how often the watch is asked does not matter for the result."""
    profile = case_profile(search_cases()[11], "makespan")
    problem = Problem.of(profile)
    starts = greedy(profile, problem, Watch())
    once = searched(problem, starts, 400_000)
    monkeypatch.setattr(rounds, "SLICE", 777)
    assert np.array_equal(searched(problem, starts, 400_000).order.letters, once.order.letters)
    other = searched(problem, starts, 400_000, seed=1)
    assert not np.array_equal(other.order.letters, once.order.letters)


def test_a_stop_keeps_the_best_so_far() -> None:
    """Tests that a search asked to stop after its first finding ends with it."""
    profile = case_profile(search_cases()[11], "makespan")
    problem = Problem.of(profile)
    watch = Watch()
    known: list[Solution] = []

    def take(solution: Solution) -> None:
        known.append(solution)
        watch.stop()

    starts = greedy(profile, problem, watch)
    search(problem, starts, watch, bound=0, work=10**9, seed=0, found=take)
    assert len(known) == 1
    assert known[0].timing.cost(problem) < starts[0].timing.cost(problem)


def test_the_published_schedule_at_twice_the_memory_is_beaten() -> None:
    """Tests 6.2B with 24 microbatches: rank span 1,903,596 us published, .0012 of bubble here."""
    profile = row_profile(table_rows()[3], 2, objective="rank_span")
    document = solve(profile)
    assert document["cost"] <= 1_900_476_000


@pytest.mark.parametrize(
    ("microbatches", "published", "annealed"),
    [(7.5, 0.4153, 0.1631), (6, 0.5901, 0.2464), (4, 0.7435, 0.4517), (2, 0.8134, 0.70)],
)
def test_less_than_the_memory_of_1f1b(
    microbatches: float, published: float, annealed: float
) -> None:
    """Tests 6.2B in 15/16, 3/4, 1/2 and 1/4 of 1F1B's memory against plain annealing."""
    profile = row_profile(table_rows()[3], 1, objective="rank_span")
    limit = round(2 * HALF * microbatches)
    document = solve(replace(profile, memory_limit=(limit,) * profile.ranks))
    assert bubble(profile, int(document["cost"])) <= annealed < published


def _unlimited_profile(problem: Problem) -> Profile:
    """Give any profile: what greedy reads of it are units for a message that is not needed."""
    profile = case_profile(search_cases()[0], problem.objective)
    assert (smallest_capacities(problem) <= problem.capacity).all()
    return profile


@settings(max_examples=60)
@given(profiles(), st.integers(0, 2**32 - 1))
def test_ops_of_no_time_do_not_wait_in_a_circle(profile: Profile, seed: int) -> None:
    """Tests profiles of which most ops and all links take no time: circles take none either."""

    def mostly_none(cost: Cost) -> Cost:
        return replace(cost, time=max(0, cost.time % 10 - 6))

    stages = tuple(
        replace(
            stage,
            F=mostly_none(stage.F),
            B=mostly_none(stage.B),
            W=mostly_none(stage.W),
            BW=mostly_none(stage.BW),
        )
        for stage in profile.stages
    )
    links = (0,) * (len(stages) - 1)
    timeless = replace(
        profile, stages=stages, communication_forward=links, communication_backward=links
    )
    problem = Problem.of(timeless)
    for start in greedy(timeless, problem, Watch()):
        found = anneal_round(
            problem, start, Watch(), target=0, work=10_000, hot=1.0, cold=0.01, seed=seed
        )
        assert found.timing.cost(problem) <= start.timing.cost(problem)
