"""Timing of a given order: the innermost loop of every search."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.compiling import kernel
from nobubble.problem import B, F, W


@kernel(
    "int64(int32[::1], int64[::1], int64, int64[::1], int64[:, ::1], int64[:, ::1],"
    " int64[:, ::1], int64[::1], int64[::1], int64[::1], int32[::1], int64[::1], int64[:, ::1])"
)
def time_order(
    letters: NDArray[np.int32],
    offsets: NDArray[np.int64],
    microbatches: int,
    rank_of: NDArray[np.int64],
    time: NDArray[np.int64],
    memory: NDArray[np.int64],
    workspace: NDArray[np.int64],
    forward_latency: NDArray[np.int64],
    backward_latency: NDArray[np.int64],
    start: NDArray[np.int64],
    sequence: NDArray[np.int32],
    position: NDArray[np.int64],
    of_rank: NDArray[np.int64],
) -> int:
    """Start every op as early as its rank's order and its dependencies allow.

    Each rank runs ahead until an op of a neighbour is missing; the neighbour wakes it.

    Parameters
    ----------
    letters, offsets : ndarray
        The order, shape (n,) and (p + 1,): see `nobubble.order.Order`. It must hold every op once.
    microbatches, rank_of, time, memory, workspace, forward_latency, backward_latency
        See `nobubble.problem.Problem`.
    start : ndarray of int64, shape (n,), output
        The start of every op, in ns.
    sequence : ndarray of int32, shape (n,), output
        The places of the ops in the order in which they were timed, in which every op comes
        after all that it depends on.
    position : ndarray of int64, shape (p,), output
        The place of the op that each rank waits to run (its end when it has run all).
    of_rank : ndarray of int64, shape (3, p), output
        First start, last end (ns) and peak activation memory with workspace (bytes) of every rank.

    Returns
    -------
    int
        The number of ops timed: n, or fewer when ops wait for each other in a circle.
    """
    ranks = len(offsets) - 1
    stages = len(rank_of)
    forward_end = np.full(stages * microbatches, -1, np.int64)
    backward_end = np.full(stages * microbatches, -1, np.int64)
    forwards = np.zeros(stages, np.int64)
    backwards = np.zeros(stages, np.int64)
    to_weight = np.zeros(stages, np.int64)
    clock = np.zeros(ranks, np.int64)
    level = np.zeros(ranks, np.int64)
    queue = np.empty(ranks, np.int64)
    queued = np.ones(ranks, np.bool_)
    for rank in range(ranks):
        queue[ranks - 1 - rank] = rank
        position[rank] = offsets[rank]
        of_rank[0, rank] = -1
        of_rank[1, rank] = 0
        of_rank[2, rank] = 0
    length = ranks
    timed = 0
    while length > 0:
        length -= 1
        rank = queue[length]
        queued[rank] = False
        at = position[rank]
        now = clock[rank]
        held = level[rank]
        peak = of_rank[2, rank]
        while at < offsets[rank + 1]:
            stage = letters[at] >> 2
            kind = letters[at] & 3
            ready = now
            wakes = -1
            if kind == F:
                slot = stage * microbatches + forwards[stage]
                if stage > 0:
                    arrival = forward_end[slot - microbatches]
                    if arrival < 0:
                        break
                    ready = max(now, arrival + forward_latency[stage])
                forwards[stage] += 1
                now = ready + time[stage, kind]
                forward_end[slot] = now
                if stage + 1 < stages:
                    wakes = rank_of[stage + 1]
            elif kind != W:
                slot = stage * microbatches + backwards[stage]
                if stage + 1 < stages:
                    arrival = backward_end[slot + microbatches]
                    if arrival < 0:
                        break
                    ready = max(now, arrival + backward_latency[stage])
                elif forward_end[slot] < 0:
                    break
                backwards[stage] += 1
                if kind == B:
                    to_weight[stage] += 1
                now = ready + time[stage, kind]
                backward_end[slot] = now
                if stage > 0:
                    wakes = rank_of[stage - 1]
            else:
                if to_weight[stage] == 0:
                    break
                to_weight[stage] -= 1
                now = ready + time[stage, kind]
            change = memory[stage, kind]
            if change > 0:
                held += change
                peak = max(peak, held + workspace[stage, kind])
            else:
                peak = max(peak, held + workspace[stage, kind])
                held += change
            start[at] = ready
            sequence[timed] = at
            timed += 1
            at += 1
            if of_rank[0, rank] < 0:
                of_rank[0, rank] = ready
            if wakes >= 0 and wakes != rank and not queued[wakes]:
                queued[wakes] = True
                queue[length] = wakes
                length += 1
        position[rank] = at
        clock[rank] = now
        level[rank] = held
        of_rank[1, rank] = now
        of_rank[2, rank] = peak
    return timed
