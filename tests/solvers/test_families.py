"""Tiny V, interleaved and other placements, against every schedule there is."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest

from nobubble.bounds.best import lower_bounds
from nobubble.problem import UNLIMITED, Problem
from nobubble.profile.model import Cost, Objective, Profile, Stage
from nobubble.solvers.blocks import blocks
from nobubble.solvers.search.search import search
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch
from tests.bounds.exhaustive import NEVER, cheapest
from tests.bounds.instances import needed
from tests.strategies import OBJECTIVES

PLACEMENTS = {
    "v": ((0, 1, 1, 0), (0, 1, 2, 2, 1, 0)),
    "interleaved": ((0, 1, 0, 1), (0, 1, 2, 0, 1), (0, 1, 0, 1, 0, 1)),
    "w": ((0, 1, 1, 0, 0, 1),),
}


def tiny(family: str, objective: Objective, seed: int) -> Iterator[Problem]:
    """Draw problems of a placement, whose stages may choose how to run backward or not."""
    rng = random.Random(f"{family} {objective} {seed}")
    while True:
        placement = rng.choice(PLACEMENTS[family])
        ranks = max(placement) + 1
        same = _stage(rng) if rng.random() < 0.5 else None
        backward = rng.choice(("split", "split", "auto"))
        stages = tuple(
            replace(same or _stage(rng), backward=backward)  # type: ignore[arg-type]
            for _ in placement
        )
        links = (rng.choice((0, 1, 3)),) * (len(placement) - 1)
        problem = Problem.of(
            Profile(
                name=None,
                time_unit="ns",
                memory_unit="B",
                ranks=ranks,
                microbatches=rng.randint(1, 2 if len(placement) > 4 else 3),
                placement=placement,
                stages=stages,
                communication_forward=links,
                communication_backward=links,
                memory_limit=(None,) * ranks,
                static_memory=(0,) * ranks,
                objective=objective,
            )
        )
        extra = rng.choice((None, 0, 1, 2, 4))
        for rank in range(ranks):
            limit = UNLIMITED if extra is None else needed(problem, rank) + extra
            problem.capacity[rank] = limit
        yield problem


def _stage(rng: random.Random) -> Stage:
    f, b, w = (rng.randint(1, 6) for _ in range(3))
    fused = rng.randint(max(b, w), b + w)
    return Stage(Cost(f, 2), Cost(b, -1), Cost(w, -1), Cost(fused, -2))


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("family", list(PLACEMENTS))
def test_search_from_blocks_finds_the_best_of_all_orders(family: str, objective: Objective) -> None:
    """Tests that the search ends at the optimum, and that no bound is above it.

    Blocks alone, which are made for long iterations, are there in most cases already.
    """
    seen: Counter[str] = Counter()
    for problem in islice(tiny(family, objective, seed=1), 25):
        bounds = lower_bounds(problem)
        bound = max(bound.value for bound in bounds)
        starts = blocks(problem, Watch(), climbs=300)
        known: list[Solution] = list(starts)
        search(problem, starts, Watch(), bound=bound, work=1_000_000, seed=0, found=known.append)
        cost = min(solution.timing.cost(problem) for solution in known)
        assert bound <= cost, bounds
        better = cheapest(problem, below=cost, enough=bound, steps=1_000_000)
        assert better.cost == NEVER, problem
        seen["complete"] += better.complete
        seen["by blocks"] += starts[0].timing.cost(problem) == cost
        seen["limited"] += bool((problem.capacity < UNLIMITED).any())
    assert seen["complete"] >= 20, seen
    assert seen["by blocks"] >= 12, seen
    assert seen["limited"] >= 10, seen
