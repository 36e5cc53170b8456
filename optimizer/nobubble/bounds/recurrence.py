"""Earliest times of a stage whose microbatches wait for memory, one after the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nobubble.bounds.figures import Figures
from nobubble.bounds.limited import LimitedStages, Times

_GROUPS = (2, 8, 64, 2**40)
"""Numbers of microbatches for which the stage that holds them up most is looked up."""


def last_ends(figures: Figures, limited: LimitedStages) -> tuple[list[int], list[int]]:
    """Bound the end of the last backward, and of the last op, of every limited stage.

    By the recurrence of `in_flight`, for all stages at once.

    Returns
    -------
    backward, whole : list of int
        b(m - 1) and w(m - 1) of every column, from the start of the first F of the stage, in ns.
    """
    m = limited.microbatches
    memory = _Memory(limited)
    at_backward, at_whole = _work(limited)
    slopes, ways = _ways(figures, limited)
    # Row j + 1 is for microbatch j; row 0 stands for none.
    backward = np.zeros((m + 1, len(limited.stages)), dtype=limited.forward.dtype)
    whole = np.zeros_like(backward)
    columns = np.arange(len(limited.stages))
    forward = backward[0]
    passing = ways
    for j in range(m):
        if j > 0:
            forward = np.maximum(forward + limited.forward, memory.start(j, backward, whole))
            passing = np.maximum(passing, forward + ways)
        passing = passing + slopes
        end = np.maximum(forward + limited.trip, passing.max(axis=0))
        end = np.maximum(end, at_backward[j])
        waits_for = np.maximum(j - limited.pending_at_backward, 0)
        end = np.maximum(end, whole[waits_for, columns] + limited.backward)
        backward[j + 1] = np.maximum(end, backward[j] + limited.backward)
        end = np.maximum(backward[j + 1], whole[j]) + limited.weight
        whole[j + 1] = np.maximum(end, at_whole[j])
    return backward[m].tolist(), whole[m].tolist()


class _Memory:
    """When memory lets an F start: the minimum, over the n in flight, of what must have ended.

    That is the highest of b(j - n), w(j - n - Q(n)), and the work done: j F's; T' for all
    microbatches but the n, without the W's of Q(n) of them; F + B' of the higher stages of the rank
    for all but L; and the idle time before the first backward.

    With n the first falls. The second rises where a microbatch pending holds no more than one in
    flight. The work is replaced by the highest function below it that falls, and the highest that
    rises. So the minimum is where what falls and what rises cross, and is found by halving. Where
    the second falls as well, so does everything, and the highest n is best.
    """

    def __init__(self, limited: LimitedStages) -> None:
        self._limited = limited
        self._columns = np.arange(len(limited.stages))
        self._first = int(limited.most.min())
        self._crossing = limited.most
        n = np.minimum(np.arange(limited.microbatches + 1)[:, np.newaxis], limited.most)
        later = n * limited.whole + limited.pending[n, self._columns] * limited.weight
        later[0] = later[1]
        self._falling = np.maximum.accumulate(later, axis=0)
        self._rising = np.maximum.accumulate(later[::-1], axis=0)[::-1]
        self._rising = np.where(limited.either, self._rising, self._falling)

    def start(self, j: int, backward: Times, whole: Times) -> Times:
        """Bound the start of F number j; 0 where all before may still be in flight."""
        limited, columns = self._limited, self._columns
        if j < self._first:
            return np.zeros_like(limited.forward)
        work = limited.idle + j * limited.forward + (j + 1) * limited.whole
        work = work + (j + 1 - limited.most) * limited.above

        def falling(n: NDArray[np.int64]) -> Times:
            first: Times = np.maximum(
                backward[j + 1 - n, columns], work - self._falling[n, columns]
            )
            return first

        def rising(n: NDArray[np.int64]) -> Times:
            ended = np.maximum(j + 1 - n - limited.pending[n, columns], 0)
            second: Times = np.maximum(whole[ended, columns], work - self._rising[n, columns])
            return second

        # The lowest n at which what rises is no lower than what falls; else the highest n. It is
        # nearly always that of the F before.
        guesses = [self._crossing - 1, self._crossing]
        high = np.minimum(limited.most, j + 1)
        low = np.where(limited.either, 1, high)
        while (low < high).any():
            middle = guesses.pop(0) if guesses else (low + high) // 2
            middle = np.maximum(np.minimum(middle, high - 1), low)
            crossed = rising(middle) >= falling(middle)
            high = np.where(crossed, middle, high)
            low = np.where(crossed, low, np.minimum(middle + 1, high))
        self._crossing = low
        before = np.where(limited.either, np.maximum(low - 1, 1), low)
        start = np.minimum(
            np.maximum(falling(low), rising(low)), np.maximum(falling(before), rising(before))
        )
        return np.where(limited.most <= j, start, 0)


def _work(limited: LimitedStages) -> tuple[Times, Times]:
    """Bound b(j) and w(j) by the work of the rank since its first F, with its idle time.

    - At the end of backward number j: j + 1 F's, j + 1 backwards, and j W's but those pending.
    - When j + 1 are whole: all of them.

    And for every backward so far, F and backward of the higher stages of the rank.

    Returns
    -------
    tuple of Times, shape (m, columns)
    """
    j = np.arange(limited.microbatches)[:, np.newaxis].astype(limited.forward.dtype)
    before = limited.idle + (j + 1) * (limited.forward + limited.above)
    waiting = np.minimum(j, limited.pending_at_backward) * limited.weight
    at_backward = before + j * limited.whole + limited.backward - waiting
    at_whole = before + (j + 1) * limited.whole
    return at_backward, at_whole


def _ways(figures: Figures, limited: LimitedStages) -> tuple[Times, Times]:
    """Find the stages that hold up groups of microbatches most on their way from a stage and back.

    Returns
    -------
    slopes, ways : Times, shape (groups, columns)
        What every microbatch of a group takes there, and the way there and back, in ns.
    """
    together = [0] * len(figures.forward)
    for stages in figures.stages_on:
        total = 0
        for s in reversed(stages):
            total += figures.forward[s] + figures.backward[s]
            together[s] = total
    way = [there + back for there, back in zip(figures.head, figures.back, strict=True)]
    slopes, ways = [], []
    for group in _GROUPS:
        farthest = _highest_from([w + group * t for w, t in zip(way, together, strict=True)])
        slopes.append([together[farthest[s]] for s in limited.stages])
        ways.append([way[farthest[s]] - way[s] for s in limited.stages])
    dtype = limited.forward.dtype
    return np.array(slopes, dtype=dtype), np.array(ways, dtype=dtype)


def _highest_from(values: list[int]) -> list[int]:
    """Give, for every place, the place of the highest value from there on."""
    places = list(range(len(values)))
    for place in reversed(range(len(values) - 1)):
        if values[places[place + 1]] > values[place]:
            places[place] = places[place + 1]
    return places
