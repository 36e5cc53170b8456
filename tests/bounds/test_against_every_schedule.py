"""Tests that no bound is above the cheapest schedule there is, on problems small enough to try all.

The long version of the same is ``python -m benchmarks.bounds_exhaustive``.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from nobubble.bounds.best import lower_bounds
from nobubble.order import Order, letter
from nobubble.problem import BW, UNLIMITED, B, F, Problem, W
from nobubble.profile.model import Objective
from nobubble.timing import CircularOrderError, time_of
from tests.bounds.exhaustive import NEVER, cheapest
from tests.bounds.instances import random_problem
from tests.bounds.problems import linear

OBJECTIVES: tuple[Objective, ...] = ("makespan", "rank_span")


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("seed", range(4))
def test_no_schedule_beats_a_bound(seed: int, objective: Objective) -> None:
    rng = random.Random(1000 * seed + len(objective))
    tried: Counter[str] = Counter()
    for _ in range(150):
        problem = random_problem(rng, objective, most_ops=24)
        bounds = lower_bounds(problem)
        best = max(bound.value for bound in bounds)
        cheaper = cheapest(problem, below=best, steps=50_000)
        assert cheaper.cost == NEVER, (cheaper, bounds, problem)
        tried["complete"] += cheaper.complete
        found = cheapest(problem, below=best + 1, enough=best, steps=50_000)
        tried["reached"] += found.cost == best
    # Else the problems have become too large or the bounds too low to say anything.
    assert tried["complete"] > 140
    assert tried["reached"] > 110


def test_the_solver_finds_the_cost_worked_out_by_hand() -> None:
    # Rank 0: F0 0-1 F1 1-2, B0 at 5-6, B1 at 7-8, W in between and after.
    problem = linear(microbatches=2, times=[(1, 1, 1), (1, 1, 1)], latency=1)
    assert cheapest(problem).cost == 9
    assert cheapest(replace(problem, objective="rank_span")).cost == 9


def test_the_solver_holds_the_memory_limit() -> None:
    # One microbatch at a time: F 1, B 1, W 1 each.
    problem = linear(microbatches=3, times=[(1, 1, 1)], memories=[(2, -1, -1)], capacity=[2])
    assert cheapest(problem).cost == 9
    alone = linear(
        microbatches=3, times=[(1, 1, 1)] * 2, memories=[(2, -1, -1)] * 2, capacity=[2, 2]
    )
    # F F B B W takes 5 on rank 0, one after the other.
    assert cheapest(alone).cost == 15
    assert cheapest(replace(alone, capacity=np.array([1, 2]))).cost == NEVER


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_solver_agrees_with_timing_of_random_orders(objective: Objective) -> None:
    rng = random.Random(7)
    reached = 0
    for _ in range(60):
        problem = random_problem(rng, objective, most_ops=15)
        found = cheapest(problem)
        assert found.complete
        costs = [cost for _ in range(150) if (cost := _random_cost(rng, problem)) is not None]
        if found.cost == NEVER:
            assert not costs
        elif costs:
            assert min(costs) >= found.cost
            reached += min(costs) == found.cost
    assert reached > 40


def _random_cost(rng: random.Random, problem: Problem) -> int | None:
    """Draw an order and give its cost, or None where it does not work or fit."""
    ranks: list[list[int]] = []
    for rank in range(problem.ranks):
        row: list[int] = []
        left = {s: [problem.microbatches, 0, 0] for s in problem.stages_on(rank)}
        while True:
            ways = [letter(s, F) for s, (forwards, _, _) in left.items() if forwards]
            for s, (_, backwards, weights) in left.items():
                ways += [letter(s, B)] * (backwards > 0 and bool(problem.may_split[s]))
                ways += [letter(s, BW)] * (backwards > 0 and bool(problem.may_fuse[s]))
                ways += [letter(s, W)] * (weights > 0)
            if not ways:
                break
            way = rng.choice(ways)
            row.append(way)
            s, kind = divmod(way, 4)
            left[s][0] -= kind == F
            left[s][1] += (kind == F) - (kind in (B, BW))
            left[s][2] += (kind == B) - (kind == W)
        ranks.append(row)
    try:
        timing = time_of(problem, Order.of(ranks))
    except CircularOrderError:
        return None
    fits = (problem.capacity >= UNLIMITED) | (timing.peak_memory <= problem.capacity)
    return timing.cost(problem) if fits.all() else None
