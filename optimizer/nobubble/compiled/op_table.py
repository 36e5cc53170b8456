"""The ops of an order in one table, with where each stands on the paths through the order.

An op's *head* is its earliest start; its *tail* is the longest way from its end to the end of the
iteration. An op is numbered ``(3 * stage + kind) * m + microbatch`` with kind F, B or W; where a
backward is fused, its B has the time of BW and its W takes none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.compiling import kernel, part
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

NO_TIME = -(2**62)


@part
def end_of(ops: NDArray[np.int64], op: int) -> int:
    """Give when an op ends."""
    return int(ops[op, HEAD] + ops[op, TIME])


@part
def arrival_of(ops: NDArray[np.int64], op: int) -> int:
    """Give when the op's input from elsewhere is there."""
    source = ops[op, INPUT]
    return int(end_of(ops, source) + ops[op, LATENCY]) if source >= 0 else 0


@part
def way_on(ops: NDArray[np.int64], op: int) -> int:
    """Give the longest way from the op's end on, through the op that needs its output."""
    target = ops[op, OUTPUT]
    if target < 0:
        return NO_TIME
    return int(ops[target, TAIL] + ops[target, TIME] + ops[target, LATENCY])


@part
def rank_tail(
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
        return int(ops[after, TAIL] + ops[after, TIME])
    return -int(ops[sequence[offsets[rank]], HEAD]) if is_span else 0


@part
def fuse(
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


@part
def set_levels(
    ops: NDArray[np.int64], sequence: NDArray[np.int64], low: int, high: int, level: int
) -> None:
    """Set what the rank holds after each op of some places, from a level on."""
    for place in range(low, high + 1):
        op = sequence[place]
        level += ops[op, MEMORY]
        ops[op, LEVEL] = level


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
            fuse(ops, backward, m, fused[stage * m + j], time, memory, workspace)
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
        set_levels(ops, sequence, offsets[rank], offsets[rank + 1] - 1, 0)
    for op in topological:
        head = arrival_of(ops, op)
        place = ops[op, PLACE]
        if place > offsets[ops[op, RANK]]:
            head = max(head, end_of(ops, sequence[place - 1]))
        ops[op, HEAD] = head
    for op in topological[::-1]:
        tail = rank_tail(ops, sequence, offsets, ops[op, RANK], ops[op, PLACE], is_span)
        ops[op, TAIL] = max(tail, way_on(ops, op))
    return ops
