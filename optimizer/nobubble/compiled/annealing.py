"""Simulated annealing over the order of ops, with only what a move changes timed anew.

An op's *head* is its earliest start; its *tail* is the longest way from its end to the end of the
iteration. An op is numbered ``(3 * stage + kind) * m + microbatch`` with kind F, B or W; where a
backward is fused, its B has the time of BW and its W takes none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.compiling import kernel, part
from nobubble.compiled.heap import drop_first, push
from nobubble.compiled.randomness import random_below
from nobubble.problem import BW, B, F, W

# The columns of the table of ops.
INPUT = 0  # the op whose output this one needs from another stage or direction, or -1
LATENCY = 1  # of that
OUTPUT = 2  # the op that needs this one's output, or -1
TIME = 3
MEMORY = 4
WORKSPACE = 5
RANK = 6
PLACE = 7  # in the sequence
HEAD = 8
TAIL = 9
LEVEL = 10  # bytes that the rank holds when the op has run
QUEUED = 11
COLUMNS = 12

MOVE_WORK = 2  # what a move takes beside the ops that it times anew, in ops
NO_TIME = -(2**62)


@part
def _end(ops: NDArray[np.int64], op: int) -> int:
    return ops[op, HEAD] + ops[op, TIME]


@part
def _arrival(ops: NDArray[np.int64], op: int) -> int:
    """Give when the op's input from elsewhere is there."""
    source = ops[op, INPUT]
    return _end(ops, source) + ops[op, LATENCY] if source >= 0 else 0


@part
def _way_on(ops: NDArray[np.int64], op: int) -> int:
    """Give the longest way from the op's end on, through the op that needs its output."""
    target = ops[op, OUTPUT]
    if target < 0:
        return NO_TIME
    return ops[target, TAIL] + ops[target, TIME] + ops[target, LATENCY]


@part
def _rank_tail(
    ops: NDArray[np.int64],
    sequence: NDArray[np.int64],
    offsets: NDArray[np.int64],
    rank: int,
    place: int,
    is_span: bool,
) -> int:
    """Give the longest way from the end of a rank's op, through the rank's next op.

    After a rank's last op nothing follows; where its span counts, its first start is taken off.
    """
    if place + 1 < offsets[rank + 1]:
        after = sequence[place + 1]
        return ops[after, TAIL] + ops[after, TIME]
    return -ops[sequence[offsets[rank]], HEAD] if is_span else 0


@part
def _cost(
    ops: NDArray[np.int64], sequence: NDArray[np.int64], offsets: NDArray[np.int64], is_span: bool
) -> int:
    cost = 0
    for rank in range(len(offsets) - 1):
        end = _end(ops, sequence[offsets[rank + 1] - 1])
        if is_span:
            end -= ops[sequence[offsets[rank]], HEAD]
        cost = max(cost, end)
    return cost


@part
def _latest_first(
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
def _set_levels(
    ops: NDArray[np.int64], sequence: NDArray[np.int64], low: int, high: int, level: int
) -> None:
    for place in range(low, high + 1):
        op = sequence[place]
        level += ops[op, MEMORY]
        ops[op, LEVEL] = level


@part
def _queue(
    ops: NDArray[np.int64],
    items: NDArray[np.int64],
    keys: NDArray[np.int64],
    size: int,
    op: int,
    key: int,
) -> int:
    if ops[op, QUEUED] == 1:
        return size
    ops[op, QUEUED] = 1
    return push(items, keys, size, op, key)


@part
def _queue_after(
    ops: NDArray[np.int64],
    sequence: NDArray[np.int64],
    offsets: NDArray[np.int64],
    items: NDArray[np.int64],
    keys: NDArray[np.int64],
    size: int,
    op: int,
) -> int:
    """Queue what waits for an op: by its end."""
    end = _end(ops, op)
    target = ops[op, OUTPUT]
    if target >= 0:
        size = _queue(ops, items, keys, size, target, end + ops[target, LATENCY])
    place = ops[op, PLACE] + 1
    if place < offsets[ops[op, RANK] + 1]:
        size = _queue(ops, items, keys, size, sequence[place], end)
    return size


@part
def _queue_before(
    ops: NDArray[np.int64],
    sequence: NDArray[np.int64],
    offsets: NDArray[np.int64],
    items: NDArray[np.int64],
    keys: NDArray[np.int64],
    size: int,
    op: int,
) -> int:
    """Queue what an op waits for: the latest end first."""
    source = ops[op, INPUT]
    if source >= 0:
        size = _queue(ops, items, keys, size, source, -_end(ops, source))
    place = ops[op, PLACE] - 1
    if place >= offsets[ops[op, RANK]]:
        before = sequence[place]
        size = _queue(ops, items, keys, size, before, -_end(ops, before))
    return size


@part
def _update_heads(
    ops: NDArray[np.int64],
    sequence: NDArray[np.int64],
    offsets: NDArray[np.int64],
    items: NDArray[np.int64],
    keys: NDArray[np.int64],
    size: int,
    limit: int,
    changed: NDArray[np.int64],
    was: NDArray[np.int64],
    count: int,
) -> tuple[int, int, bool]:
    """Time the queued ops anew and all that follows from it, earliest first.

    Parameters
    ----------
    limit : int
        Stop when an op ends after this: ops in a circle do, sooner or later.
    changed, was, count : ndarray of int64, int
        The ops whose head has changed so far, and what it was before; more are appended.

    Returns
    -------
    count : int
    work : int
        How many ops were timed.
    within : bool
        Whether all of them end by the limit.
    """
    work = 0
    most = len(changed) - count
    while size > 0:
        op = items[0]
        size = drop_first(items, keys, size)
        ops[op, QUEUED] = 0
        place = ops[op, PLACE]
        head = _arrival(ops, op)
        if place > offsets[ops[op, RANK]]:
            head = max(head, _end(ops, sequence[place - 1]))
        work += 1
        if head == ops[op, HEAD]:
            continue
        if head + ops[op, TIME] > limit or work >= most:
            for place in range(size):
                ops[items[place], QUEUED] = 0
            return count, work, False
        changed[count] = op
        was[count] = ops[op, HEAD]
        count += 1
        ops[op, HEAD] = head
        size = _queue_after(ops, sequence, offsets, items, keys, size, op)
    return count, work, True


@part
def _update_tails(
    ops: NDArray[np.int64],
    sequence: NDArray[np.int64],
    offsets: NDArray[np.int64],
    items: NDArray[np.int64],
    keys: NDArray[np.int64],
    size: int,
    is_span: bool,
) -> int:
    """Find the tails of the queued ops anew and all that follows from it; give how many."""
    work = 0
    while size > 0:
        op = items[0]
        size = drop_first(items, keys, size)
        ops[op, QUEUED] = 0
        tail = _rank_tail(ops, sequence, offsets, ops[op, RANK], ops[op, PLACE], is_span)
        tail = max(tail, _way_on(ops, op))
        work += 1
        if tail != ops[op, TAIL]:
            ops[op, TAIL] = tail
            size = _queue_before(ops, sequence, offsets, items, keys, size, op)
    return work


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
    now = _end(ops, sequence[low - 1]) if low > offsets[rank] else 0
    for place in range(low, high + 1):
        op = sequence[place]
        now = max(now, _arrival(ops, op))
        changed[place - low] = op
        was[place - low] = ops[op, HEAD]
        ops[op, HEAD] = now
        now += ops[op, TIME]
    tail = _rank_tail(ops, sequence, offsets, rank, high, is_span)
    for place in range(high, low - 1, -1):
        op = sequence[place]
        tail = max(tail, _way_on(ops, op))
        if _end(ops, op) + tail > limit:
            return False
        tail += ops[op, TIME]
    return True


@part
def _fuse(
    ops: NDArray[np.int64],
    op: int,
    microbatches: int,
    fused: bool,
    time: NDArray[np.int64],
    memory: NDArray[np.int64],
    workspace: NDArray[np.int64],
) -> None:
    """Let the backward of B number `op` run as BW, or as B and W."""
    stage = op // (3 * microbatches)
    kind = BW if fused else B
    ops[op, TIME] = time[stage, kind]
    ops[op, MEMORY] = memory[stage, kind]
    ops[op, WORKSPACE] = workspace[stage, kind]
    weight = op + microbatches
    ops[weight, TIME] = 0 if fused else time[stage, W]
    ops[weight, MEMORY] = 0 if fused else memory[stage, W]
    ops[weight, WORKSPACE] = 0 if fused else workspace[stage, W]


@kernel(
    "int64[:, ::1](int64, int64[::1], int64[:, ::1], int64[:, ::1], int64[:, ::1], int64[::1],"
    " int64[::1], boolean[::1], int64[::1], int64[::1], int64[::1], boolean)"
)
def table_of_ops(
    microbatches: int,
    rank_of: NDArray[np.int64],
    time: NDArray[np.int64],
    memory: NDArray[np.int64],
    workspace: NDArray[np.int64],
    forward_latency: NDArray[np.int64],
    backward_latency: NDArray[np.int64],
    fused: NDArray[np.bool_],
    sequence: NDArray[np.int64],
    offsets: NDArray[np.int64],
    topological: NDArray[np.int64],
    is_span: bool,
) -> NDArray[np.int64]:
    """Make the table of ops, shape (3 * S * m, COLUMNS).

    Parameters
    ----------
    fused : ndarray of bool, shape (S * m,)
    sequence : ndarray of int64, shape (3 * S * m,)
        The ops of every rank in its order, rank after rank.
    offsets : ndarray of int64, shape (p + 1,)
    topological : ndarray of int64, shape (3 * S * m,)
        The ops in an order in which each comes after all that it depends on.
    is_span : bool
        Whether tails count from a rank's first start.
    """
    m = microbatches
    stages = len(rank_of)
    ops = np.zeros((3 * stages * m, COLUMNS), np.int64)
    for stage in range(stages):
        for j in range(m):
            forward = 3 * stage * m + j
            backward = forward + m
            for kind in range(3):
                op = forward + kind * m
                ops[op, INPUT] = -1
                ops[op, OUTPUT] = -1
                ops[op, RANK] = rank_of[stage]
            ops[forward, TIME] = time[stage, F]
            ops[forward, MEMORY] = memory[stage, F]
            ops[forward, WORKSPACE] = workspace[stage, F]
            _fuse(ops, backward, m, fused[stage * m + j], time, memory, workspace)
            if stage > 0:
                ops[forward, INPUT] = forward - 3 * m
                ops[forward, LATENCY] = forward_latency[stage]
                ops[backward, OUTPUT] = backward - 3 * m
            if stage + 1 < stages:
                ops[forward, OUTPUT] = forward + 3 * m
                ops[backward, INPUT] = backward + 3 * m
                ops[backward, LATENCY] = backward_latency[stage]
            else:
                ops[forward, OUTPUT] = backward
                ops[backward, INPUT] = forward
    for rank in range(len(offsets) - 1):
        for place in range(offsets[rank], offsets[rank + 1]):
            ops[sequence[place], PLACE] = place
        _set_levels(ops, sequence, offsets[rank], offsets[rank + 1] - 1, 0)
    for op in topological:
        head = _arrival(ops, op)
        place = ops[op, PLACE]
        if place > offsets[ops[op, RANK]]:
            head = max(head, _end(ops, sequence[place - 1]))
        ops[op, HEAD] = head
    for op in topological[::-1]:
        tail = _rank_tail(ops, sequence, offsets, ops[op, RANK], ops[op, PLACE], is_span)
        ops[op, TAIL] = max(tail, _way_on(ops, op))
    return ops


@kernel(
    "int64(int64[:, ::1], int64[::1], int64[::1], int64, boolean, int64[::1], boolean[::1],"
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
    cost = _cost(ops, sequence, offsets, is_span)
    latest_first = _latest_first(ops, sequence, offsets) if is_span else 0
    best, work, tried, kept = progress
    while work < min(work_limit, pause_at) and best > target:
        work += 1
        place = random_below(random_state, n)
        op = sequence[place]
        rank = ops[op, RANK]
        if (
            _end(ops, op) + ops[op, TAIL] < cost
            and random_below(random_state, 64) >= uncritical_64ths
        ):
            continue
        threshold = hot + (cold - hot) * work / work_limit
        drawn = logarithms[random_below(random_state, len(logarithms))]
        limit = cost + np.int64(threshold * drawn / 1048576.0)
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
            _fuse(ops, op, m, not fused[backward], time, memory, workspace)
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
                size = _queue_after(ops, sequence, offsets, items, keys, size, op)
                size = _queue_after(ops, sequence, offsets, items, keys, size, op + m)
            else:
                count = high - low + 1
                good = _estimate(ops, sequence, offsets, low, high, limit, is_span, changed, was)
                if good:
                    for at in range(low, high + 1):
                        ops[sequence[at], PLACE] = at
                    for at in range(low, high + 1):
                        target_op = ops[sequence[at], OUTPUT]
                        if target_op >= 0:
                            arrival = _end(ops, sequence[at]) + ops[target_op, LATENCY]
                            size = _queue(ops, items, keys, size, target_op, arrival)
                    if high + 1 < offsets[rank + 1]:
                        end = _end(ops, sequence[high])
                        size = _queue(ops, items, keys, size, sequence[high + 1], end)
            if good:
                count, timed, good = _update_heads(
                    ops, sequence, offsets, items, keys, size, latest, changed, was, count
                )
                work += timed
            if good:
                new_cost = _cost(ops, sequence, offsets, is_span)
                good = new_cost <= limit
        if good:
            kept += 1
            cost = new_cost
            if is_span and low == offsets[rank]:
                latest_first = _latest_first(ops, sequence, offsets)
            _set_levels(ops, sequence, low, high, level)
            size = 0
            if flips:
                fused[backward] = not fused[backward]
                size = _queue_before(ops, sequence, offsets, items, keys, size, op)
                size = _queue_before(ops, sequence, offsets, items, keys, size, op + m)
            else:
                for at in range(low, high + 1):
                    moved = sequence[at]
                    size = _queue(ops, items, keys, size, moved, -_end(ops, moved))
                if low > offsets[rank]:
                    before = sequence[low - 1]
                    size = _queue(ops, items, keys, size, before, -_end(ops, before))
            work += _update_tails(ops, sequence, offsets, items, keys, size, is_span)
            if cost < best:
                best = cost
                best_sequence[:] = sequence
                best_fused[:] = fused
            continue
        for at in range(count - 1, -1, -1):
            ops[changed[at], HEAD] = was[at]
        if flips:
            _fuse(ops, op, m, fused[backward], time, memory, workspace)
        else:
            _move(sequence, there, place)
            for at in range(low, high + 1):
                ops[sequence[at], PLACE] = at
    progress[0] = best
    progress[1] = work
    progress[2] = tried
    progress[3] = kept
