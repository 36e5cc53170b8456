"""Event-driven list scheduling: one pass under one setting of its rules."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.compiling import kernel, part
from nobubble.compiled.earliest import NEVER, earliest, new_ranking, set_time
from nobubble.problem import BW, B, F, W

# How a stage runs backward; from PREFER_SPLIT on, it may take the other way when memory asks.
SPLIT = 0
FUSED = 1
PREFER_SPLIT = 2
PREFER_FUSED = 3
FUSED_WHILE_STEADY = 4


@part
def _stays_safe(
    rank: int,
    stage_list: NDArray[np.int64],
    first: int,
    last: int,
    free: int,
    reclaimable: int,
    workspace: NDArray[np.int64],
    need: NDArray[np.int64],
    held: NDArray[np.int64],
    started: NDArray[np.int64],
    pending: NDArray[np.int64],
) -> bool:
    """Say whether a rank can end all its microbatches in flight, one after the other.

    First every W that waits must be able to run, then the microbatches, oldest first. A rank
    that only enters such states is never blocked by memory for ever.

    Parameters
    ----------
    rank, stage_list, first, last
        The rank, and its stages: ``stage_list[first:last]``.
    free, reclaimable : int
        Bytes free now, and those that the W's that wait give back.
    """
    base = 2 * first + rank
    enough = 0
    for done in range(2 * (last - first) + 1):
        enough = max(enough, need[base + done])
    for i in range(first, last):
        stage = stage_list[i]
        if pending[stage] > 0 and workspace[stage, W] > free:
            return False
    free += reclaimable
    lowest = stage_list[first]
    for j in range(started[1, lowest], started[0, lowest]):
        if free >= enough:
            return True
        done = 0
        for i in range(first, last):
            stage = stage_list[i]
            done += (started[0, stage] > j) + (started[1, stage] > j)
        if need[base + done] > free:
            return False
        free += held[base + done]
    return True


@part
def _next_before(
    due: int,
    now: int,
    microbatches: int,
    stages: NDArray[np.int64],
    started: NDArray[np.int64],
    forward_arrival: NDArray[np.int64],
    backward_arrival: NDArray[np.int64],
    in_flight_cap: NDArray[np.int64],
    forward_due: NDArray[np.int64],
    backward_due: NDArray[np.int64],
    period: int,
) -> int:
    """Give when the next F or backward arrives at a rank's stages that is due before another."""
    arrival = NEVER
    for stage in stages:
        k = started[0, stage]
        j = started[1, stage]
        if j < k and backward_arrival[stage, j] > now and backward_due[stage] + j * period < due:
            arrival = min(arrival, backward_arrival[stage, j])
        may_start = k < microbatches and k - j < in_flight_cap[stage]
        if may_start and forward_arrival[stage, k] > now and forward_due[stage] + k * period < due:
            arrival = min(arrival, forward_arrival[stage, k])
    return arrival


@kernel(
    "int64(int64[::1], int64[::1], int64, int64[::1], int64[:, ::1], int64[:, ::1],"
    " int64[:, ::1], int64[::1], int64[::1], int64[::1], int64[::1], int64[::1],"
    " int64[::1], int64[::1], int64[::1], int64, int64, int64, int64[::1], int64[::1],"
    " int64, int32[::1], int64[::1], int64[:, ::1])"
)
def list_schedule(
    stage_list: NDArray[np.int64],
    stage_offsets: NDArray[np.int64],
    microbatches: int,
    rank_of: NDArray[np.int64],
    time: NDArray[np.int64],
    memory: NDArray[np.int64],
    workspace: NDArray[np.int64],
    forward_latency: NDArray[np.int64],
    backward_latency: NDArray[np.int64],
    capacity: NDArray[np.int64],
    need: NDArray[np.int64],
    held: NDArray[np.int64],
    in_flight_cap: NDArray[np.int64],
    weight_lag: NDArray[np.int64],
    backward_mode: NDArray[np.int64],
    gap_eighths: int,
    hold_eighths: int,
    interval: int,
    forward_due: NDArray[np.int64],
    backward_due: NDArray[np.int64],
    period: int,
    letters: NDArray[np.int32],
    counts: NDArray[np.int64],
    of_rank: NDArray[np.int64],
) -> int:
    """Let every rank take, whenever it is free, the best op that can start.

    Of the F's and backwards that can start, the one goes first that is due first. F must fit into
    memory and under its stage's cap of microbatches in flight. W runs when memory or the lag asks
    for it, or when nothing else can start and the gap until the next known arrival is wide enough.

    Parameters
    ----------
    stage_list, stage_offsets : ndarray of int64, shape (S,), (p + 1,)
        The stages of every rank, ascending: rank r's are
        ``stage_list[stage_offsets[r]:stage_offsets[r + 1]]``.
    microbatches, rank_of, time, memory, workspace, forward_latency, backward_latency, capacity
        See `nobubble.problem.Problem`.
    need, held : ndarray of int64, shape (2 * S + p,)
        Rank r's begin at ``2 * stage_offsets[r] + r``: for a microbatch with q of its F's and
        backwards done there, the bytes that it takes to end it, and that this gives back.
    in_flight_cap : ndarray of int64, shape (S,)
        The most microbatches between F and backward of every stage; at least 1.
    weight_lag : ndarray of int64, shape (S,)
        W goes before F when more W's than this wait on one of the rank's stages.
    backward_mode : ndarray of int64, shape (S,)
        SPLIT, FUSED, PREFER_SPLIT, PREFER_FUSED; FUSED_WHILE_STEADY is fused while the stage has
        F's left, and always on stage 0, whose B no rank waits for.
    gap_eighths : int
        W runs in a gap of at least so many eighths of its time.
    hold_eighths : int
        An F or backward waits when one that is due before it arrives within so many eighths of its
        time.
    interval : int
        Ns between the earliest starts of the F's of stage 0.
    forward_due, backward_due : ndarray of int64, shape (S,)
        When the first microbatch's F and backward are due on every stage: only to be compared.
    period : int
        How much later those of the next microbatch are due.
    letters : ndarray of int32, shape (3 * m * S,), output
        Rank r's letters begin at ``3 * m * stage_offsets[r]``.
    counts : ndarray of int64, shape (p,), output
        The number of letters of every rank.
    of_rank : ndarray of int64, shape (3, p), output
        First start, last end (ns) and peak activation memory with workspace (bytes) of every rank.

    Returns
    -------
    int
        The number of F's and backwards that had not run when no rank could go on: 0, unless memory
        is too small for one microbatch.
    """
    ranks = len(stage_offsets) - 1
    stages = len(rank_of)
    m = microbatches
    forward_arrival = np.full((stages, m), NEVER, np.int64)
    backward_arrival = np.full((stages, m), NEVER, np.int64)
    for j in range(m):
        forward_arrival[0, j] = j * interval
    started = np.zeros((2, stages), np.int64)  # F's and backwards
    pending = np.zeros(stages, np.int64)  # W's whose B has run
    level = np.zeros(ranks, np.int64)  # bytes held
    reclaimable = np.zeros(ranks, np.int64)  # bytes of these that pending W's give back
    clock = np.zeros(ranks, np.int64)
    counts[:] = 0
    of_rank[0, :] = -1
    of_rank[1:, :] = 0
    wake, tree = new_ranking(ranks)
    set_time(wake, tree, rank_of[0], 0)
    left = 2 * stages * m
    while True:
        rank = earliest(tree)
        now = wake[rank]
        if now == NEVER:
            return left
        first = stage_offsets[rank]
        last = stage_offsets[rank + 1]
        free = capacity[rank] - level[rank]

        # What has arrived: of backwards and of F's the one that is due first.
        next_arrival = NEVER
        backward = -1
        forward = -1
        backward_is_due = NEVER
        forward_is_due = NEVER
        overdue = False
        for i in range(first, last):
            stage = stage_list[i]
            j = started[1, stage]
            k = started[0, stage]
            if j < k:
                arrival = backward_arrival[stage, j]
                if arrival > now:
                    next_arrival = min(next_arrival, arrival)
                elif backward_due[stage] + j * period < backward_is_due:
                    backward = stage
                    backward_is_due = backward_due[stage] + j * period
            if k < m and k - j < in_flight_cap[stage]:
                arrival = forward_arrival[stage, k]
                if arrival > now:
                    next_arrival = min(next_arrival, arrival)
                elif forward_due[stage] + k * period < forward_is_due:
                    forward = stage
                    forward_is_due = forward_due[stage] + k * period
            overdue |= pending[stage] > weight_lag[stage]

        # The first of these that memory allows: the backward, in one way or the other, and F.
        stage = -1
        kind = -1
        held_back = False
        forward_first = forward_is_due < backward_is_due
        for turn in range(3):
            attempt = (turn + 2) % 3 if forward_first else turn
            if attempt < 2:
                candidate = backward
                if candidate < 0:
                    continue
                mode = backward_mode[candidate]
                if attempt == 1 and mode < PREFER_SPLIT:
                    continue
                fused = mode in (FUSED, PREFER_FUSED)
                if mode == FUSED_WHILE_STEADY:
                    fused = candidate == 0 or started[0, candidate] < m
                kind = BW if fused != (attempt == 1) else B
            else:
                candidate = forward
                kind = F
                if candidate < 0 or overdue:
                    continue
            if hold_eighths > 0:
                due = forward_is_due if kind == F else backward_is_due
                arrival = _next_before(
                    due,
                    now,
                    m,
                    stage_list[first:last],
                    started,
                    forward_arrival,
                    backward_arrival,
                    in_flight_cap,
                    forward_due,
                    backward_due,
                    period,
                )
                takes = time[candidate, kind]
                if 8 * min(arrival - now, takes) < hold_eighths * takes:
                    held_back = True
                    continue
            change = memory[candidate, kind]
            if max(change, 0) + workspace[candidate, kind] > free:
                continue
            if change > 0 or (kind == B and workspace[candidate, W] > 0):
                side = 0 if kind == F else 1
                gives_back = -memory[candidate, W] if kind == B else 0
                started[side, candidate] += 1
                pending[candidate] += kind == B
                safe = _stays_safe(
                    rank,
                    stage_list,
                    first,
                    last,
                    free - change,
                    reclaimable[rank] + gives_back,
                    workspace,
                    need,
                    held,
                    started,
                    pending,
                )
                started[side, candidate] -= 1
                pending[candidate] -= kind == B
                if not safe:
                    continue
            stage = candidate
            break

        # Otherwise a W: of the stage whose W's hold most.
        if stage < 0:
            most = -1
            candidate = -1
            for i in range(first, last):
                waiting = -pending[stage_list[i]] * memory[stage_list[i], W]
                fits = workspace[stage_list[i], W] <= free
                if pending[stage_list[i]] > 0 and fits and waiting > most:
                    candidate = stage_list[i]
                    most = waiting
            if candidate >= 0:
                wanted = overdue or next_arrival == NEVER
                wanted |= (backward >= 0 or forward >= 0) and not held_back
                gap = next_arrival - now
                if wanted or 8 * min(gap, time[candidate, W]) >= gap_eighths * time[candidate, W]:
                    stage = candidate
                    kind = W
        if stage < 0:
            set_time(wake, tree, rank, next_arrival)
            continue

        end = now + time[stage, kind]
        letters[3 * m * first + counts[rank]] = 4 * stage + kind
        counts[rank] += 1
        if of_rank[0, rank] < 0:
            of_rank[0, rank] = now
        of_rank[1, rank] = end
        highest = level[rank] + max(memory[stage, kind], 0) + workspace[stage, kind]
        of_rank[2, rank] = max(of_rank[2, rank], highest)
        level[rank] += memory[stage, kind]
        clock[rank] = end
        set_time(wake, tree, rank, end)

        target = -1
        arrival = end
        if kind == F:
            j = started[0, stage]
            started[0, stage] += 1
            left -= 1
            if stage + 1 < stages:
                target = stage + 1
                arrival += forward_latency[target]
                forward_arrival[target, j] = arrival
            else:
                backward_arrival[stage, j] = end
        elif kind == W:
            pending[stage] -= 1
            reclaimable[rank] += memory[stage, W]
        else:
            j = started[1, stage]
            started[1, stage] += 1
            left -= 1
            if kind == B:
                pending[stage] += 1
                reclaimable[rank] -= memory[stage, W]
            if stage > 0:
                target = stage - 1
                arrival += backward_latency[target]
                backward_arrival[target, j] = arrival
        if target >= 0:
            there = rank_of[target]
            decides = max(arrival, clock[there])
            if wake[there] > decides:
                set_time(wake, tree, there, decides)
