"""When a microbatch runs in a building block: a schedule that repeats."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.compiling import kernel, part


@part
def _first_free(
    ready: int,
    takes: int,
    period: int,
    begins: NDArray[np.int64],
    lasts: NDArray[np.int64],
    count: int,
) -> int:
    """Give the first time from `ready` on that is free in every period, -1 for none.

    What is taken begins at ``begins[:count]``, modulo the period, and lasts ``lasts[:count]``.
    """
    moves = 0
    moved = True
    while moved:
        moved = False
        for i in range(count):
            since = (ready - begins[i]) % period
            if since < lasts[i]:
                ready += lasts[i] - since
                moved = True
            elif since + takes > period:
                ready += period - since + lasts[i]
                moved = True
        moves += 1
        if moves > 2 * count + 2:
            return -1
    return ready


@kernel(
    "boolean(int64[::1], int64, int64[::1], int64[::1], int64[::1], int64[::1],"
    " int64, int64[::1], int64[::1])"
)
def block_times(
    rank_of: NDArray[np.int64],
    ranks: int,
    forward_time: NDArray[np.int64],
    backward_time: NDArray[np.int64],
    forward_wait: NDArray[np.int64],
    backward_wait: NDArray[np.int64],
    period: int,
    forward: NDArray[np.int64],
    backward: NDArray[np.int64],
) -> bool:
    """Place a microbatch's F's and backwards one after the other, as early as may be.

    Each begins so long after the one before, and no two on a rank at the same time modulo the
    period.

    Parameters
    ----------
    rank_of : ndarray of int64, shape (S,)
    ranks, period : int
    forward_time, backward_time : ndarray of int64, shape (S,)
    forward_wait, backward_wait : ndarray of int64, shape (S,)
        The least time between the end of what a stage's F or backward waits for and its start.
    forward, backward : ndarray of int64, shape (S,), output
        The start of every stage's F and backward.

    Returns
    -------
    bool
        Whether all found a place.
    """
    stages = len(rank_of)
    begins = np.zeros((ranks, 2 * stages), np.int64)
    lasts = np.zeros((ranks, 2 * stages), np.int64)
    counts = np.zeros(ranks, np.int64)
    now = 0
    for step in range(2 * stages):
        stage = step if step < stages else 2 * stages - 1 - step
        takes = forward_time[stage] if step < stages else backward_time[stage]
        now += forward_wait[stage] if step < stages else backward_wait[stage]
        rank = rank_of[stage]
        count = counts[rank]
        now = _first_free(now, takes, period, begins[rank], lasts[rank], count)
        if now < 0:
            return False
        if step < stages:
            forward[stage] = now
        else:
            backward[stage] = now
        begins[rank, count] = now % period
        lasts[rank, count] = takes
        counts[rank] += 1
        now += takes
    return True
