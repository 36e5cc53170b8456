"""Where the W's go, when the order of F's and backwards is given."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.compiling import kernel
from nobubble.compiled.earliest import NEVER, earliest, new_ranking, set_time
from nobubble.problem import B, F, W


@kernel(
    "int64(int32[::1], int64[::1], int64, int64[::1], int64[:, ::1], int64[:, ::1],"
    " int64[:, ::1], int64[::1], int64[::1], int64[::1], int64, boolean, int32[::1], int64[::1],"
    " int64[:, ::1])"
)
def place_weights(
    given: NDArray[np.int32],
    given_offsets: NDArray[np.int64],
    microbatches: int,
    rank_of: NDArray[np.int64],
    time: NDArray[np.int64],
    memory: NDArray[np.int64],
    workspace: NDArray[np.int64],
    forward_latency: NDArray[np.int64],
    backward_latency: NDArray[np.int64],
    capacity: NDArray[np.int64],
    gap_eighths: int,
    balanced: bool,
    letters: NDArray[np.int32],
    counts: NDArray[np.int64],
    of_rank: NDArray[np.int64],
) -> int:
    """Run the F's and backwards of every rank in a given order, and W's in between.

    A W runs where the next op does not fit into memory before, in a gap, and in the end. They run
    in the order of their B's.

    Parameters
    ----------
    given : ndarray of int32, shape (n,)
        The letters of every rank in their order; its W's are passed over.
    given_offsets : ndarray of int64, shape (p + 1,)
        Rank r's are ``given[given_offsets[r]:given_offsets[r + 1]]``.
    microbatches, rank_of, time, memory, workspace, forward_latency, backward_latency, capacity
        See `nobubble.problem.Problem`.
    gap_eighths : int
        W runs in a gap of at least so many eighths of its time.
    balanced : bool
        W also runs in a narrower gap, where idling would make its rank the one that has idled
        most.
    letters : ndarray of int32, shape (n,), output
        Rank r's letters begin at ``given_offsets[r]``.
    counts : ndarray of int64, shape (p,), output
        The number of letters of every rank.
    of_rank : ndarray of int64, shape (3, p), output
        First start, last end (ns) and peak activation memory with workspace (bytes) of every rank.

    Returns
    -------
    int
        The number of ops that had not run when no rank could go on.
    """
    ranks = len(given_offsets) - 1
    stages = len(rank_of)
    end = np.full((2, stages, microbatches), NEVER, np.int64)  # of F's, and of backwards
    started = np.zeros((2, stages), np.int64)
    waiting = np.empty((ranks, np.diff(given_offsets).max() + 1), np.int32)
    first_waiting = np.zeros(ranks, np.int64)
    last_waiting = np.zeros(ranks, np.int64)
    place = given_offsets[:-1].copy()
    level = np.zeros(ranks, np.int64)
    idle = np.zeros(ranks, np.int64)
    clock = np.zeros(ranks, np.int64)
    counts[:] = 0
    of_rank[0, :] = -1
    of_rank[1:, :] = 0
    wake, tree = new_ranking(ranks)
    for rank in range(ranks):
        set_time(wake, tree, rank, 0)
    left = given_offsets[ranks]
    while True:
        rank = earliest(tree)
        now = wake[rank]
        if now == NEVER:
            return int(left)
        while place[rank] < given_offsets[rank + 1] and given[place[rank]] & 3 == W:
            place[rank] += 1
        pending = last_waiting[rank] - first_waiting[rank]
        runs = -1
        arrival = now
        weight = waiting[rank, first_waiting[rank]] if pending > 0 else -1
        if place[rank] < given_offsets[rank + 1]:
            # The next op, and when its input is there, at the earliest where it is not yet known.
            stage = given[place[rank]] >> 2
            kind = given[place[rank]] & 3
            side = 0 if kind == F else 1
            j = started[side, stage]
            known = True
            source = -1
            if kind == F:
                if stage > 0:
                    source = stage - 1
            elif stage + 1 < stages:
                source = stage + 1
            if source >= 0:
                latency = forward_latency[stage] if kind == F else backward_latency[stage]
                known = end[side, source, j] != NEVER
                if known:
                    arrival = end[side, source, j] + latency
                else:
                    arrival = now + time[source, F if kind == F else B] + latency
            if side == 1:
                known &= end[0, stage, j] != NEVER
            extra = max(memory[stage, kind], 0) + workspace[stage, kind]
            fits = level[rank] + extra <= capacity[rank]
            gap = arrival - now
            if weight >= 0 and level[rank] + workspace[weight, W] <= capacity[rank]:
                takes = time[weight, W]
                is_wide = 8 * min(gap, takes) >= gap_eighths * takes
                idles_most = balanced and gap > idle.max() - idle[rank]
                if not fits or (gap > 0 and (is_wide or idles_most)):
                    runs = W
            if runs < 0 and fits and known and gap <= 0:
                runs = kind
            if runs < 0:
                # Where the input is not yet on its way, its rank wakes this one.
                set_time(wake, tree, rank, arrival if known and gap > 0 else NEVER)
                continue
        elif weight >= 0:
            runs = W
        else:
            set_time(wake, tree, rank, NEVER)
            continue

        if runs == W:
            stage = weight
            first_waiting[rank] += 1
        else:
            place[rank] += 1
        if of_rank[0, rank] < 0:
            of_rank[0, rank] = now
        else:
            idle[rank] += now - clock[rank]
        clock[rank] = now + time[stage, runs]
        of_rank[1, rank] = clock[rank]
        held = level[rank] + max(memory[stage, runs], 0) + workspace[stage, runs]
        of_rank[2, rank] = max(of_rank[2, rank], held)
        level[rank] += memory[stage, runs]
        letters[given_offsets[rank] + counts[rank]] = 4 * stage + runs
        counts[rank] += 1
        left -= 1
        set_time(wake, tree, rank, clock[rank])
        if runs == W:
            continue
        end[side, stage, started[side, stage]] = clock[rank]
        started[side, stage] += 1
        if runs == B:
            waiting[rank, last_waiting[rank]] = stage
            last_waiting[rank] += 1
        target = stage + 1 if runs == F else stage - 1
        if 0 <= target < stages:
            there = rank_of[target]
            if there != rank and wake[there] == NEVER:
                set_time(wake, tree, there, max(now, clock[there]))
