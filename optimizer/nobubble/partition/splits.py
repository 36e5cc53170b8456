"""Partitions that need no schedule: evenly, and such that the busiest rank has least to do."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from itertools import accumulate, pairwise
from typing import Final

MOST_CUTS: Final = 4_000_000
"""How much is tried: of more layers or stages, less. A second's work."""


def even_split(kinds: Sequence[Hashable], stages: int) -> tuple[int, ...]:
    """Spread the layers evenly, as launchers do.

    The longest run of equal layers is the model's body: every stage gets as many of it as the
    others, the first ones one more where they do not divide. What comes before the body goes to
    the first stage, what comes after it to the last.

    Parameters
    ----------
    kinds : sequence of hashable, shape (L,)
        Equal for equal layers.
    stages : int
        At most L. Where the body has fewer layers, all layers are spread.

    Returns
    -------
    tuple of int, shape (S,)
        Layers of every stage; they add up to L.
    """
    first, body = _longest_run(kinds)
    if body < stages:
        first, body = 0, len(kinds)
    share, more = divmod(body, stages)
    counts = [share + (stage < more) for stage in range(stages)]
    counts[0] += first
    counts[-1] += len(kinds) - first - body
    return tuple(counts)


def _longest_run(kinds: Sequence[Hashable]) -> tuple[int, int]:
    """Give where the longest run of equal values begins, and how long it is."""
    best, begin = (0, 0), 0
    for index, kind in enumerate(kinds):
        if kind != kinds[begin]:
            begin = index
        best = max(best, (index + 1 - begin, -begin))
    return -best[1], best[0]


def min_max_split(times: Sequence[int], placement: Sequence[int]) -> tuple[int, ...]:
    """Cut the layers such that the busiest rank has as little work as possible.

    With one stage a rank this is exact: a dynamic programme over where each stage ends. With
    several, the stages are first cut that way, then single layers go from stage to stage, as long
    as that lowers the busiest rank's work, or leaves it and lowers the sum of squares.

    Parameters
    ----------
    times : sequence of int, shape (L,)
        The work of every layer for one microbatch, in ns.
    placement : sequence of int, shape (S,)
        The rank of every stage; S is at most L.

    Returns
    -------
    tuple of int, shape (S,)
        Layers of every stage, at least one; they add up to L.
    """
    counts = _linear_split(times, len(placement))
    if len(set(placement)) == len(placement) or len(counts) ** 3 > MOST_CUTS:
        return counts
    return _shifted(times, placement, counts)


def _linear_split(times: Sequence[int], stages: int) -> tuple[int, ...]:
    """Cut a sequence into runs of which the largest sum is the least; among those, even ones."""
    total = [0, *accumulate(times)]
    layers = len(times)
    limit = _least_largest(total, stages)
    if layers * layers > MOST_CUTS:
        return _filled(total, stages, limit)
    # The fewest squares under that limit: the other stages are as even as they can be.
    best: list[list[tuple[int, int] | None]] = [[None] * (layers + 1) for _ in range(stages + 1)]
    best[0][0] = (0, 0)
    for stage in range(1, stages + 1):
        for end in range(stage, layers - (stages - stage) + 1):
            for begin in range(end - 1, stage - 2, -1):
                work = total[end] - total[begin]
                if work > limit:
                    break
                before = best[stage - 1][begin]
                if before is None:
                    continue
                squares = before[0] + work * work
                known = best[stage][end]
                if known is None or squares < known[0]:
                    best[stage][end] = (squares, begin)
    counts, end = [], layers
    for stage in range(stages, 0, -1):
        found = best[stage][end]
        assert found is not None, "the limit is the largest sum of some cut"
        counts.append(end - found[1])
        end = found[1]
    return tuple(reversed(counts))


def _filled(total: Sequence[int], stages: int, limit: int) -> tuple[int, ...]:
    """Cut a sequence into runs as long as the limit, and the number of those to come, allow."""
    counts, begin, layers = [], 0, len(total) - 1
    for stage in range(stages):
        last = layers - (stages - 1 - stage)
        end = min(bisect_right(total, total[begin] + limit) - 1, last)
        counts.append(max(end - begin, 1))
        begin += counts[-1]
    return tuple(counts)


def _least_largest(total: Sequence[int], stages: int) -> int:
    """Give the least limit under which so many runs, none of them empty, take all."""
    low, high = max(after - before for before, after in pairwise(total)), total[-1]
    while low < high:
        middle = (low + high) // 2
        if _runs_needed(total, middle) <= stages:
            high = middle
        else:
            low = middle + 1
    return low


def _runs_needed(total: Sequence[int], limit: int) -> int:
    runs, begin = 1, 0
    for end in range(1, len(total)):
        if total[end] - total[begin] > limit:
            runs += 1
            begin = end - 1
    return runs


def _shifted(
    times: Sequence[int], placement: Sequence[int], counts: tuple[int, ...]
) -> tuple[int, ...]:
    """Move layers over boundaries while the ranks' work gets more even."""
    total = [0, *accumulate(times)]
    best, least = counts, _unevenness(total, placement, counts)
    while True:
        found = None
        for other in neighbours(best, reach=len(best)):
            value = _unevenness(total, placement, other)
            if value < least:
                found, least = other, value
        if found is None:
            return best
        best = found


def _unevenness(
    total: Sequence[int], placement: Sequence[int], counts: Sequence[int]
) -> tuple[int, int]:
    work = [0] * (max(placement) + 1)
    begin = 0
    for rank, count in zip(placement, counts, strict=True):
        work[rank] += total[begin + count] - total[begin]
        begin += count
    return max(work), sum(amount * amount for amount in work)


def neighbours(counts: tuple[int, ...], reach: int) -> list[tuple[int, ...]]:
    """Give the partitions in which one layer goes from a stage to another, those between shifted.

    Parameters
    ----------
    counts : tuple of int, shape (S,)
        Layers of every stage.
    reach : int
        How far apart the two stages may be. The nearest pairs come first.
    """
    stages = len(counts)
    found = []
    for distance in range(1, min(stages - 1, reach) + 1):
        for one in range(stages - distance):
            for giver, taker in ((one, one + distance), (one + distance, one)):
                if counts[giver] > 1:
                    moved = list(counts)
                    moved[giver] -= 1
                    moved[taker] += 1
                    found.append(tuple(moved))
    return found
