"""Simulated annealing over the order of ops, with only what a move changes timed anew."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.compiling import kernel, part
from nobubble.compiled.op_table import (
    HEAD,
    LATENCY,
    LEVEL,
    MEMORY,
    OUTPUT,
    PLACE,
    RANK,
    TAIL,
    TIME,
    WORKSPACE,
    arrival_of,
    end_of,
    fuse,
    rank_tail,
    set_levels,
    way_on,
)
from nobubble.compiled.propagation import (
    can_run,
    queue,
    queue_after,
    queue_before,
    update_heads,
    update_tails,
)
from nobubble.compiled.randomness import random_below
from nobubble.problem import BW, B

MOVE_WORK = 2  # what a move takes beside the ops that it times anew, in ops


@part
def cost_of(
    ops: NDArray[np.int64], sequence: NDArray[np.int64], offsets: NDArray[np.int64], is_span: bool
) -> int:
    """Give the makespan, or the rank span."""
    cost = 0
    for rank in range(len(offsets) - 1):
        end = end_of(ops, sequence[offsets[rank + 1] - 1])
        if is_span:
            end -= ops[sequence[offsets[rank]], HEAD]
        cost = max(cost, end)
    return cost


@part
def latest_first_start(
    ops: NDArray[np.int64], sequence: NDArray[np.int64], offsets: NDArray[np.int64]
) -> int:
    """Give the latest first start of all ranks: in a span, ops may end that much later."""
    latest = 0
    for first in offsets[:-1]:
        latest = max(latest, ops[sequence[first], HEAD])
    return latest


@part
def _reach(
    ops: NDArray[np.int64],
    sequence: NDArray[np.int64],
    offsets: NDArray[np.int64],
    microbatches: int,
    place: int,
    steps: int,
) -> int:
    """Give how far an op can move, up to ``abs(steps)`` places ahead or back.

    It passes neither an op of its own stage and kind, which would be the same order, nor one of its
    own stage and microbatch, which depend on each other.
    """
    op = sequence[place]
    rank = ops[op, RANK]
    letter = op // microbatches
    j = op - letter * microbatches
    step = 1 if steps > 0 else -1
    for _ in range(abs(steps)):
        there = place + step
        if there < offsets[rank] or there >= offsets[rank + 1]:
            break
        other = sequence[there]
        passed = other // microbatches
        if passed == letter or (passed // 3 == letter // 3 and other - passed * microbatches == j):
            break
        place = there
    return place


@part
def _move(sequence: NDArray[np.int64], place: int, there: int) -> None:
    """Move the op at a place to another, and those between by one."""
    op = sequence[place]
    step = 1 if there > place else -1
    while place != there:
        sequence[place] = sequence[place + step]
        place += step
    sequence[there] = op


@part
def _fits(
    ops: NDArray[np.int64],
    sequence: NDArray[np.int64],
    low: int,
    high: int,
    level: int,
    capacity: int,
) -> bool:
    """Say whether the ops of some places fit into memory, from a level on."""
    for place in range(low, high + 1):
        op = sequence[place]
        if level + max(ops[op, MEMORY], 0) + ops[op, WORKSPACE] > capacity:
            return False
        level += ops[op, MEMORY]
    return True


@part
def _estimate(
    ops: NDArray[np.int64],
    sequence: NDArray[np.int64],
    offsets: NDArray[np.int64],
    low: int,
    high: int,
    limit: int,
    is_span: bool,
    changed: NDArray[np.int64],
    was: NDArray[np.int64],
) -> bool:
    """Set the heads of the ops at some places; say whether no path through them is too long.

    Their inputs' heads and their followers' tails are taken as they are, which is right unless a
    path leads from one of them to another by way of other ranks.
    """
    rank = ops[sequence[low], RANK]
    now = end_of(ops, sequence[low - 1]) if low > offsets[rank] else 0
    for place in range(low, high + 1):
        op = sequence[place]
        now = max(now, arrival_of(ops, op))
        changed[place - low] = op
        was[place - low] = ops[op, HEAD]
        ops[op, HEAD] = now
        now += ops[op, TIME]
    tail = rank_tail(ops, sequence, offsets, rank, high, is_span)
    for place in range(high, low - 1, -1):
        op = sequence[place]
        tail = max(tail, way_on(ops, op))
        if end_of(ops, op) + tail > limit:
            return False
        tail += ops[op, TIME]
    return True


@part
def _may_be_timeless(ops: NDArray[np.int64], time: NDArray[np.int64], microbatches: int) -> bool:
    """Say whether ops could wait for each other in a circle that takes no time.

    Either the circle stays on a rank: then an op on it takes no time, and its output is needed
    there. Or it leaves the rank and comes back: then two do so, whose outputs are needed elsewhere
    at once.
    """
    found = 0
    for letter in range(0, len(ops) // microbatches):
        stage, kind = letter // 3, letter % 3
        op = letter * microbatches
        target = ops[op, OUTPUT]
        if target < 0:
            continue
        shortest = time[stage, kind]
        if kind == B:
            shortest = min(shortest, time[stage, BW])
        if shortest == 0 and ops[target, LATENCY] == 0:
            own = target // (3 * microbatches) == stage
            stays = ops[target, RANK] == ops[op, RANK] and not own
            found += 2 if stays else 1
    return found >= 2


@kernel(
    "void(int64[:, ::1], int64[::1], int64[::1], int64, boolean, int64[::1], boolean[::1],"
    " boolean[::1], int64[:, ::1], int64[:, ::1], int64[:, ::1], int64, float64, float64,"
    " int64, int64, int64[::1], int64, int64, uint64[::1], int64[::1], boolean[::1],"
    " int64[::1])"
)
def anneal(
    ops: NDArray[np.int64],
    sequence: NDArray[np.int64],
    offsets: NDArray[np.int64],
    microbatches: int,
    is_span: bool,
    capacity: NDArray[np.int64],
    may_choose: NDArray[np.bool_],
    fused: NDArray[np.bool_],
    time: NDArray[np.int64],
    memory: NDArray[np.int64],
    workspace: NDArray[np.int64],
    work_limit: int,
    hot: float,
    cold: float,
    farthest: int,
    uncritical_64ths: int,
    logarithms: NDArray[np.int64],
    target: int,
    pause_at: int,
    random_state: NDArray[np.uint64],
    best_sequence: NDArray[np.int64],
    best_fused: NDArray[np.bool_],
    progress: NDArray[np.int64],
) -> None:
    """Anneal an order, and keep the best that is met; from where the last call paused.

    A move takes an op a few places along its rank's order or, where a stage may choose, fuses or
    splits a backward. One that raises the cost by less than a random threshold is kept; the
    threshold's mean falls from `hot` to `cold` as the work is used up.

    Parameters
    ----------
    ops, sequence, offsets
        See `table_of_ops`; changed in place. No rank may be over its capacity.
    microbatches, capacity, time, memory, workspace
        See `nobubble.problem.Problem`.
    is_span : bool
        Whether the objective is the rank span.
    may_choose : ndarray of bool, shape (S,)
        The stages that may split and may fuse.
    fused : ndarray of bool, shape (S * m,)
        The backwards that are fused; changed in place.
    work_limit : int
        Stop when so many ops have been timed, where a move counts MOVE_WORK too.
    hot, cold : float
        Mean thresholds in ns.
    farthest : int
        The most places that a move goes.
    uncritical_64ths : int
        How often an op on no critical path may move, in 64ths.
    logarithms : ndarray of int64
        Quantiles of the exponential distribution of mean 2**20: integers, so that every machine
        draws the same.
    target : int
        Stop at this cost, in ns.
    pause_at : int
        Return when so much work has been done; calling again with all the same arrays goes on.
    random_state : ndarray of uint64, shape (1,)
    best_sequence, best_fused : ndarray, output
    progress : ndarray of int64, shape (4,)
        The best cost met, in ns; work done, moves tried, moves kept.
    """
    n = len(ops)
    m = microbatches
    items = np.empty(n + 1, np.int64)
    keys = np.empty(n + 1, np.int64)
    changed = np.empty(3 * n + farthest + 1, np.int64)
    was = np.empty(3 * n + farthest + 1, np.int64)
    some_may_choose = may_choose.any()
    timeless = _may_be_timeless(ops, time, m)
    cost = cost_of(ops, sequence, offsets, is_span)
    latest_first = latest_first_start(ops, sequence, offsets) if is_span else 0
    best, work, tried, kept = progress
    while work < min(work_limit, pause_at) and best > target:
        work += 1
        place = random_below(random_state, n)
        op = sequence[place]
        rank = ops[op, RANK]
        if (
            end_of(ops, op) + ops[op, TAIL] < cost
            and random_below(random_state, 64) >= uncritical_64ths
        ):
            continue
        threshold = hot + (cold - hot) * work / work_limit
        drawn = logarithms[random_below(random_state, len(logarithms))]
        limit = cost + int(threshold * drawn / 1048576.0)
        latest = limit + latest_first
        letter = op // m
        flips = (
            some_may_choose
            and letter % 3 == B
            and may_choose[letter // 3]
            and random_below(random_state, 4) == 0
        )
        if flips:
            there = place
            low, high = place, ops[op + m, PLACE]
            backward = letter // 3 * m + op - letter * m
            fuse(ops, op, m, not fused[backward], time, memory, workspace)
        else:
            steps = 1 + random_below(random_state, farthest)
            if random_below(random_state, 2) == 0:
                steps = -steps
            there = _reach(ops, sequence, offsets, m, place, steps)
            if there == place:
                continue
            low, high = min(place, there), max(place, there)
            _move(sequence, place, there)
        tried += 1
        work += MOVE_WORK
        level = ops[sequence[low - 1], LEVEL] if low > offsets[rank] else 0
        count = 0
        good = _fits(ops, sequence, low, high, level, capacity[rank])
        new_cost = cost
        if good:
            size = 0
            if flips:
                size = queue_after(ops, sequence, offsets, items, keys, size, op)
                size = queue_after(ops, sequence, offsets, items, keys, size, op + m)
            else:
                count = high - low + 1
                good = _estimate(ops, sequence, offsets, low, high, limit, is_span, changed, was)
                if good:
                    for at in range(low, high + 1):
                        ops[sequence[at], PLACE] = at
                    for at in range(low, high + 1):
                        target_op = ops[sequence[at], OUTPUT]
                        if target_op >= 0:
                            arrival = end_of(ops, sequence[at]) + ops[target_op, LATENCY]
                            size = queue(ops, items, keys, size, target_op, arrival)
                    if high + 1 < offsets[rank + 1]:
                        end = end_of(ops, sequence[high])
                        size = queue(ops, items, keys, size, sequence[high + 1], end)
            if good:
                count, timed, good = update_heads(
                    ops, sequence, offsets, items, keys, size, latest, changed, was, count
                )
                work += timed
            if good:
                new_cost = cost_of(ops, sequence, offsets, is_span)
                good = new_cost <= limit
            if good and timeless:
                good = can_run(ops, sequence, offsets)
        if good:
            kept += 1
            cost = new_cost
            if is_span and low == offsets[rank]:
                latest_first = latest_first_start(ops, sequence, offsets)
            set_levels(ops, sequence, low, high, level)
            size = 0
            if flips:
                fused[backward] = not fused[backward]
                size = queue_before(ops, sequence, offsets, items, keys, size, op)
                size = queue_before(ops, sequence, offsets, items, keys, size, op + m)
            else:
                for at in range(low, high + 1):
                    moved = sequence[at]
                    size = queue(ops, items, keys, size, moved, -end_of(ops, moved))
                if low > offsets[rank]:
                    before = sequence[low - 1]
                    size = queue(ops, items, keys, size, before, -end_of(ops, before))
            work += update_tails(ops, sequence, offsets, items, keys, size, is_span)
            if cost < best:
                best = cost
                best_sequence[:] = sequence
                best_fused[:] = fused
            continue
        for at in range(count - 1, -1, -1):
            ops[changed[at], HEAD] = was[at]
        if flips:
            fuse(ops, op, m, fused[backward], time, memory, workspace)
        else:
            _move(sequence, there, place)
            for at in range(low, high + 1):
                ops[sequence[at], PLACE] = at
    progress[0] = best
    progress[1] = work
    progress[2] = tried
    progress[3] = kept
