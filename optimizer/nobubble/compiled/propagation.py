"""Heads and tails anew, for all that a change of the order reaches and nothing else."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.compiling import part
from nobubble.compiled.heap import drop_first, push
from nobubble.compiled.op_table import (
    HEAD,
    INPUT,
    LATENCY,
    OUTPUT,
    PLACE,
    QUEUED,
    RANK,
    TAIL,
    TIME,
    arrival_of,
    end_of,
    rank_tail,
    way_on,
)


@part
def queue(
    ops: NDArray[np.int64],
    items: NDArray[np.int64],
    keys: NDArray[np.int64],
    size: int,
    op: int,
    key: int,
) -> int:
    """Queue an op, once; give the new size."""
    if ops[op, QUEUED] == 1:
        return size
    ops[op, QUEUED] = 1
    return push(items, keys, size, op, key)


@part
def queue_after(
    ops: NDArray[np.int64],
    sequence: NDArray[np.int64],
    offsets: NDArray[np.int64],
    items: NDArray[np.int64],
    keys: NDArray[np.int64],
    size: int,
    op: int,
) -> int:
    """Queue what waits for an op: by its end."""
    end = end_of(ops, op)
    target = ops[op, OUTPUT]
    if target >= 0:
        size = queue(ops, items, keys, size, target, end + ops[target, LATENCY])
    place = ops[op, PLACE] + 1
    if place < offsets[ops[op, RANK] + 1]:
        size = queue(ops, items, keys, size, sequence[place], end)
    return size


@part
def queue_before(
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
        size = queue(ops, items, keys, size, source, -end_of(ops, source))
    place = ops[op, PLACE] - 1
    if place >= offsets[ops[op, RANK]]:
        before = sequence[place]
        size = queue(ops, items, keys, size, before, -end_of(ops, before))
    return size


@part
def update_heads(
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
        head = arrival_of(ops, op)
        if place > offsets[ops[op, RANK]]:
            head = max(head, end_of(ops, sequence[place - 1]))
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
        size = queue_after(ops, sequence, offsets, items, keys, size, op)
    return count, work, True


@part
def can_run(
    ops: NDArray[np.int64], sequence: NDArray[np.int64], offsets: NDArray[np.int64]
) -> bool:
    """Say whether no ops wait for each other in a circle.

    Circles of ops that all take no time, over links without latency, cannot be told by heads.
    """
    ranks = len(offsets) - 1
    done = offsets[:-1].copy()
    waiting = np.empty(ranks, np.int64)
    is_waiting = np.zeros(ranks, np.bool_)
    size = 0
    for rank in range(ranks):
        waiting[size] = rank
        is_waiting[rank] = True
        size += 1
    ran = 0
    while size > 0:
        size -= 1
        rank = waiting[size]
        is_waiting[rank] = False
        while done[rank] < offsets[rank + 1]:
            op = sequence[done[rank]]
            source = ops[op, INPUT]
            if source >= 0 and ops[source, PLACE] >= done[ops[source, RANK]]:
                break
            done[rank] += 1
            ran += 1
            target = ops[op, OUTPUT]
            if target >= 0 and not is_waiting[ops[target, RANK]]:
                is_waiting[ops[target, RANK]] = True
                waiting[size] = ops[target, RANK]
                size += 1
    return ran == len(ops)


@part
def update_tails(
    ops: NDArray[np.int64],
    sequence: NDArray[np.int64],
    offsets: NDArray[np.int64],
    items: NDArray[np.int64],
    keys: NDArray[np.int64],
    size: int,
    is_span: bool,
) -> int:
    """Find the tails of the queued ops anew and all that follows from it; give how many.

    Tails only guide; so that nothing can go on for ever, no more than 10 for every op.
    """
    work = 0
    while size > 0:
        if work > 10 * len(ops):
            for place in range(size):
                ops[items[place], QUEUED] = 0
            break
        op = items[0]
        size = drop_first(items, keys, size)
        ops[op, QUEUED] = 0
        tail = rank_tail(ops, sequence, offsets, ops[op, RANK], ops[op, PLACE], is_span)
        tail = max(tail, way_on(ops, op))
        work += 1
        if tail != ops[op, TAIL]:
            ops[op, TAIL] = tail
            size = queue_before(ops, sequence, offsets, items, keys, size, op)
    return work
