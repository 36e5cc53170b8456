"""Schedules whose W's are placed anew, which often helps those made by fixed rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from nobubble.problem import Problem, W
from nobubble.solvers.shortlist import Shortlist
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch
from nobubble.solvers.weight_placer import WeightPlacer

METHOD: Final = "placed-weights"

GAPS: Final = (
    *((eighths, False) for eighths in (2, 3, 4, 6)),
    *((eighths, True) for eighths in (4, 5, 6, 8)),
)
"""How they are placed: see `nobubble.compiled.weight_placing.place_weights`."""

WORK: Final = 8_000_000
"""Ops to place in all, once the best schedule has had its turn."""


def placed_weights(
    problem: Problem, starts: Sequence[Solution], watch: Watch
) -> Iterator[Solution]:
    """Give better schedules in which the W's of others are in other places.

    F's and backwards stay in their order. The best start comes first, for as long as there is work
    left: it is counted, so that what comes out does not depend on the machine.
    """
    placer = WeightPlacer(problem)
    work = 0
    for start in sorted(starts, key=lambda solution: solution.rank_of_merit(problem)):
        if work >= WORK or watch.is_over():
            return
        if not (start.order.letters % 4 == W).any():
            continue
        best = Shortlist(problem, 1)
        for gap_eighths, balanced in GAPS:
            work += len(start.order.letters)
            if placer.run(start.order, gap_eighths, balanced):
                best.offer(*placer.costs(), placer.order)
        for placed in best.solutions(METHOD):
            if placed.timing.cost(problem) < start.timing.cost(problem):
                yield placed
