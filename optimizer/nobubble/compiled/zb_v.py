"""The greedy construction of ZB-V: rounds of one backward and one F on every rank, W in between."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.compiling import kernel, part
from nobubble.problem import B, F, W

# A microbatch goes four times over the ranks: the legs of its way, by the stage and the direction.
FORWARD_DOWN = 0  # F of stage r
FORWARD_UP = 1  # F of stage 2p - 1 - r
BACKWARD_DOWN = 2  # B of stage 2p - 1 - r
BACKWARD_UP = 3  # B of stage r

# Memory is counted in halves of what a microbatch holds on a stage, so that it is the same for all.
F_HOLDS = 2
GIVES_BACK = -1  # B, and W

NOT_YET = -1

# What is known of a rank: the columns of its state.
CLOCK = 0
HELD = 1
IDLE = 2
FIRST_WAITING = 3  # of the queue of W's
LAST_WAITING = 4
LETTERS = 5


@part
def stage_of_leg(leg: int, rank: int, ranks: int) -> int:
    """Give the stage that a leg runs on a rank."""
    down = leg in (FORWARD_DOWN, BACKWARD_UP)
    return rank if down else 2 * ranks - 1 - rank


@part
def _arrival(
    leg: int,
    rank: int,
    j: int,
    end: NDArray[np.int64],
    forward_latency: NDArray[np.int64],
    backward_latency: NDArray[np.int64],
) -> int:
    """Give when the input of a leg's op from another rank is there, NOT_YET if unknown or none."""
    ranks = end.shape[1]
    source = rank - 1 if leg in (FORWARD_DOWN, BACKWARD_DOWN) else rank + 1
    if source < 0 or source >= ranks or end[leg, source, j] == NOT_YET:
        return NOT_YET
    stage = stage_of_leg(leg, rank, ranks)
    latency = forward_latency[stage] if leg < 2 else backward_latency[stage]
    return int(end[leg, source, j] + latency)


@part
def _has_input(leg: int, rank: int, done: NDArray[np.int64], end: NDArray[np.int64]) -> bool:
    """Say whether the next op of a leg could run on a rank after what has been placed."""
    ranks, m = end.shape[1], end.shape[2]
    j = done[leg, rank]
    if j >= m or (leg > 0 and end[leg - 1, rank, j] == NOT_YET):
        return False
    source = rank - 1 if leg in (FORWARD_DOWN, BACKWARD_DOWN) else rank + 1
    return source < 0 or source >= ranks or end[leg, source, j] != NOT_YET


@part
def _put(
    leg: int,
    rank: int,
    time: NDArray[np.int64],
    forward_latency: NDArray[np.int64],
    backward_latency: NDArray[np.int64],
    done: NDArray[np.int64],
    end: NDArray[np.int64],
    state: NDArray[np.int64],
    waiting: NDArray[np.int64],
    letters: NDArray[np.int32],
) -> None:
    """Run the next op of a leg on a rank, as early as its input allows."""
    ranks = end.shape[1]
    j = done[leg, rank]
    stage = stage_of_leg(leg, rank, ranks)
    kind = F if leg < 2 else B
    start = max(state[rank, CLOCK], _arrival(leg, rank, j, end, forward_latency, backward_latency))
    if done[FORWARD_DOWN, rank] > 0:
        state[rank, IDLE] += start - state[rank, CLOCK]
    state[rank, CLOCK] = start + time[stage, kind]
    end[leg, rank, j] = state[rank, CLOCK]
    done[leg, rank] += 1
    state[rank, HELD] += F_HOLDS if kind == F else GIVES_BACK
    letters[rank, state[rank, LETTERS]] = 4 * stage + kind
    state[rank, LETTERS] += 1
    if kind == B:
        waiting[rank, state[rank, LAST_WAITING]] = stage
        state[rank, LAST_WAITING] += 1


@part
def _waiting(rank: int, state: NDArray[np.int64]) -> int:
    """Give how many W's wait on a rank."""
    return int(state[rank, LAST_WAITING] - state[rank, FIRST_WAITING])


@part
def _next_weight_time(
    rank: int, time: NDArray[np.int64], state: NDArray[np.int64], waiting: NDArray[np.int64]
) -> int:
    """Give how long the W takes that has waited longest."""
    return int(time[waiting[rank, state[rank, FIRST_WAITING]], W])


@part
def _put_weight(
    rank: int,
    time: NDArray[np.int64],
    state: NDArray[np.int64],
    waiting: NDArray[np.int64],
    letters: NDArray[np.int32],
) -> None:
    """Run the W that has waited longest on a rank."""
    stage = waiting[rank, state[rank, FIRST_WAITING]]
    state[rank, FIRST_WAITING] += 1
    state[rank, CLOCK] += time[stage, W]
    state[rank, HELD] += GIVES_BACK
    letters[rank, state[rank, LETTERS]] = 4 * stage + W
    state[rank, LETTERS] += 1


@part
def _fill(
    leg: int,
    rank: int,
    eager: bool,
    time: NDArray[np.int64],
    forward_latency: NDArray[np.int64],
    backward_latency: NDArray[np.int64],
    done: NDArray[np.int64],
    end: NDArray[np.int64],
    state: NDArray[np.int64],
    waiting: NDArray[np.int64],
    letters: NDArray[np.int32],
    idle_before: NDArray[np.int64],
) -> None:
    """Run W's in the gap before the next op of a leg.

    `eager` lets one more delay the op, where idling would make this rank the one that idles most,
    here or in the attempt before.
    """
    arrival = _arrival(leg, rank, done[leg, rank], end, forward_latency, backward_latency)
    if arrival == NOT_YET:
        return
    while _waiting(rank, state) > 0 and arrival - state[rank, CLOCK] >= _next_weight_time(
        rank, time, state, waiting
    ):
        _put_weight(rank, time, state, waiting, letters)
    most = max(state[:, IDLE].max(), idle_before.max() - idle_before[rank])
    gap = arrival - state[rank, CLOCK]
    if eager and _waiting(rank, state) > 0 and gap > most - state[rank, IDLE]:
        _put_weight(rank, time, state, waiting, letters)


@part
def _attempt(
    time: NDArray[np.int64],
    forward_latency: NDArray[np.int64],
    backward_latency: NDArray[np.int64],
    fill_forward: bool,
    fill_backward: bool,
    idle_before: NDArray[np.int64],
    state: NDArray[np.int64],
    end: NDArray[np.int64],
    waiting: NDArray[np.int64],
    letters: NDArray[np.int32],
) -> bool:
    """Build the schedule once; say whether that went to the end."""
    ranks, m = end.shape[1], end.shape[2]
    most_held = 2 * F_HOLDS * ranks
    done = np.zeros((4, ranks), np.int64)
    state[:] = 0
    end[:] = NOT_YET
    costs = (time, forward_latency, backward_latency)

    # The first F goes down and up; on its way up it lets further ones down where there is time.
    for rank in range(ranks):
        _put(FORWARD_DOWN, rank, *costs, done, end, state, waiting, letters)
    for rank in range(ranks - 1, -1, -1):
        arrival = _arrival(FORWARD_UP, rank, 0, end, forward_latency, backward_latency)
        while (
            arrival != NOT_YET
            and state[rank, HELD] + F_HOLDS * (2 + 2 * rank) <= most_held
            and state[rank, CLOCK] + time[rank, F] <= arrival
            and done[FORWARD_DOWN, rank] < m
        ):
            for above in range(rank + 1):
                _put(FORWARD_DOWN, above, *costs, done, end, state, waiting, letters)
        _put(FORWARD_UP, rank, *costs, done, end, state, waiting, letters)

    # The other ranks catch up with the one before, with F's down and up in turn.
    leg = FORWARD_DOWN
    for rank in range(1, ranks):
        down, up = done[FORWARD_DOWN], done[FORWARD_UP]
        while down[rank] + up[rank] < down[rank - 1] + up[rank - 1] or (
            up[rank] <= up[rank - 1] and up[rank - 1] < m
        ):
            placed = False
            for other in range(ranks - 1, rank - 1, -1):
                if _has_input(leg, other, done, end):
                    _put(leg, other, *costs, done, end, state, waiting, letters)
                    placed = True
            if not placed and not _has_input(1 - leg, rank, done, end):
                break
            leg = 1 - leg

    kinds = np.zeros(ranks, np.int64)
    for _ in range(2 * m):
        for rank in range(ranks):
            goes_up = done[BACKWARD_UP, rank] < done[BACKWARD_DOWN, rank] and (
                _has_input(BACKWARD_UP, rank, done, end) or done[BACKWARD_DOWN, rank] >= m
            )
            kinds[rank] = BACKWARD_UP if goes_up else BACKWARD_DOWN
        for turn in range(2):
            leg = BACKWARD_DOWN if turn else BACKWARD_UP
            for step in range(ranks):
                rank = step if turn else ranks - 1 - step
                if kinds[rank] != leg or not _has_input(leg, rank, done, end):
                    continue
                eager = leg == BACKWARD_UP or fill_backward
                _fill(leg, rank, eager, *costs, done, end, state, waiting, letters, idle_before)
                _put(leg, rank, *costs, done, end, state, waiting, letters)
        for rank in range(ranks):
            if done[FORWARD_UP, rank] >= m:
                continue
            if _has_input(FORWARD_UP, rank, done, end):
                leg = FORWARD_UP
            elif _has_input(FORWARD_DOWN, rank, done, end):
                leg = FORWARD_DOWN
            else:
                continue
            while state[rank, HELD] + F_HOLDS > most_held and _waiting(rank, state) > 0:
                _put_weight(rank, time, state, waiting, letters)
            if state[rank, HELD] + F_HOLDS > most_held:
                continue
            _fill(leg, rank, fill_forward, *costs, done, end, state, waiting, letters, idle_before)
            _put(leg, rank, *costs, done, end, state, waiting, letters)
    for rank in range(ranks):
        while _waiting(rank, state) > 0:
            _put_weight(rank, time, state, waiting, letters)
    return bool((done == m).all())


@kernel("int64(int64[:, ::1], int64[::1], int64[::1], int64, boolean, boolean, int32[:, ::1])")
def zb_v(
    time: NDArray[np.int64],
    forward_latency: NDArray[np.int64],
    backward_latency: NDArray[np.int64],
    microbatches: int,
    fill_forward: bool,
    fill_backward: bool,
    letters: NDArray[np.int32],
) -> int:
    """Build ZB-V, again and again while that makes the rank that idles most idle less.

    Each time the ranks may idle as long as the busiest did before.

    Parameters
    ----------
    time, forward_latency, backward_latency
        See `nobubble.problem.Problem`; of V placement.
    microbatches : int
    fill_forward, fill_backward : bool
        Whether a W may delay an F, and a B going down.
    letters : ndarray of int32, shape (p, 6 * m), output

    Returns
    -------
    int
        The longest that a rank idles between its first op and its last, in ns; -1 when the
        construction got stuck.
    """
    ranks = len(time) // 2
    m = microbatches
    state = np.zeros((ranks, 6), np.int64)
    end = np.empty((4, ranks, m), np.int64)
    waiting = np.empty((ranks, 2 * m), np.int64)
    trial = np.empty((ranks, 6 * m), np.int32)
    idle_before = np.full(ranks, -1, np.int64)
    best = -1
    while True:
        finished = _attempt(
            time,
            forward_latency,
            backward_latency,
            fill_forward,
            fill_backward,
            idle_before,
            state,
            end,
            waiting,
            trial,
        )
        most = state[:, IDLE].max()
        if not finished or (best >= 0 and most >= best):
            return best
        best = most
        letters[:] = trial
        idle_before[:] = state[:, IDLE]
