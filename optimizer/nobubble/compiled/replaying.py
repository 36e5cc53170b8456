"""Re-timing one order many times over, every time with other op and communication times."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.compiling import kernel, part
from nobubble.compiled.randomness import GOLDEN, scrambled

WORD = np.uint64(0xFFFF)
OF_RANKS = np.uint64(2**63)  # the draws of ranks, far from those of ops
COMMUNICATION = 4  # after F, B, W and BW


@part
def deviation(origin: np.uint64, counter: np.uint64) -> np.int64:
    """Give the draw of that number: the sum of four 16-bit words, less its mean.

    It is between -131070 and 131070, symmetric, with a variance of (2**32 - 1) / 3.
    """
    bits = scrambled(origin + (counter + np.uint64(1)) * GOLDEN)
    total = bits & WORD
    total += (bits >> np.uint64(16)) & WORD
    total += (bits >> np.uint64(32)) & WORD
    total += bits >> np.uint64(48)
    return np.int64(total) - np.int64(131070)


@part
def varied(time: np.int64, step: float, deviated: np.int64) -> np.int64:
    """Give a time with a deviation of that many steps, each a fraction of it, in whole ns.

    One product, then a rounding: there is no sum that some machines would fuse with it.
    """
    return time + np.int64(np.rint(np.float64(time) * step * np.float64(deviated)))


@part
def add_op(
    at: int,
    sign: int,
    letters: NDArray[np.int32],
    rank_of: NDArray[np.int64],
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    of_rank: NDArray[np.int64],
    of_kind: NDArray[np.int64],
) -> None:
    """Add an op's time to the totals of its rank and kind."""
    lasts = sign * (end[at] - start[at])
    of_rank[rank_of[letters[at] >> 2]] += lasts
    of_kind[letters[at] & 3] += lasts


@part
def add_path(
    at: int,
    sign: int,
    letters: NDArray[np.int32],
    before: NDArray[np.int32],
    source: NDArray[np.int32],
    rank_of: NDArray[np.int64],
    start: NDArray[np.int64],
    end: NDArray[np.int64],
    of_rank: NDArray[np.int64],
    of_kind: NDArray[np.int64],
) -> None:
    """Add to the totals all that decides when an op starts: the path from time 0 to its start."""
    while start[at] > 0:
        moment = start[at]
        if end[before[at]] == moment:
            at = before[at]
        else:
            at = source[at]
            of_kind[COMMUNICATION] += sign * (moment - end[at])
        add_op(at, sign, letters, rank_of, start, end, of_rank, of_kind)


@kernel(
    "void(int32[::1], int32[::1], int32[::1], int64[::1], int64[::1], int64[:, ::1], int64[::1],"
    " int64[:, ::1], float64, float64, uint64, int64, boolean, int64[::1], int64[::1], int64[::1],"
    " int64[::1])"
)
def replay_order(
    letters: NDArray[np.int32],
    before: NDArray[np.int32],
    source: NDArray[np.int32],
    latency: NDArray[np.int64],
    number: NDArray[np.int64],
    outermost: NDArray[np.int64],
    rank_of: NDArray[np.int64],
    time: NDArray[np.int64],
    op_step: float,
    rank_step: float,
    seed: int,
    first_sample: int,
    is_rank_span: bool,
    cost: NDArray[np.int64],
    work: NDArray[np.int64],
    of_rank: NDArray[np.int64],
    of_kind: NDArray[np.int64],
) -> None:
    """Time an order once for every sample, and trace what decides its cost.

    Draws are numbered, not taken in turn: the same op, sample and seed have the same draw,
    whatever the order. Every sample has a SplitMix64 generator of its own.

    Parameters
    ----------
    letters, before, source, latency, number, outermost
        The order as a graph: see `nobubble.replay.graph.Graph`.
    rank_of : ndarray of int64, shape (S,)
        The rank of every stage.
    time : ndarray of int64, shape (S, 4)
        Of every stage and kind of op, in ns, before noise.
    op_step, rank_step : float
        By what part of its time a deviation of 1 changes an op or a transfer by itself, and all
        ops of a rank together.
    seed : uint64
    first_sample : int
        The number of the first sample.
    is_rank_span : bool
        Whether the cost is the rank span; else it is the makespan.
    cost : ndarray of int64, shape (samples,), output
        In ns.
    work : ndarray of int64, shape (samples,), output
        The sum of the busiest rank's op times, in ns.
    of_rank, of_kind : ndarray of int64, shape (p,) and (5,), output
        The cost of all samples in ns: what the ops of every rank have of it, and what F, B, W, BW
        and communication have.
    """
    n = len(letters)
    ranks = len(of_rank)
    start = np.empty(n, np.int64)
    end = np.zeros(n + 1, np.int64)  # of no op: 0
    now = np.empty_like(time)
    busy = np.empty(ranks, np.int64)
    of_rank[:] = 0
    of_kind[:] = 0
    for sample in range(len(cost)):
        origin = scrambled(scrambled(np.uint64(seed)) + np.uint64(first_sample + sample) * GOLDEN)
        for stage in range(len(rank_of)):
            deviated = deviation(origin, OF_RANKS + np.uint64(rank_of[stage]))
            for kind in range(4):
                now[stage, kind] = varied(time[stage, kind], rank_step, deviated)
        busy[:] = 0
        for at in range(n):
            stage, kind = letters[at] >> 2, letters[at] & 3
            draw = np.uint64(2 * number[at])
            ready = end[before[at]]
            if source[at] < n:
                arrival = end[source[at]]
                if latency[at] > 0:
                    deviated = deviation(origin, draw + np.uint64(1))
                    arrival += varied(latency[at], op_step, deviated)
                ready = max(ready, arrival)
            lasts = varied(now[stage, kind], op_step, deviation(origin, draw))
            start[at] = ready
            end[at] = ready + lasts
            busy[rank_of[stage]] += lasts
        work[sample] = busy.max()
        highest, worst = -1, 0
        for rank in range(ranks):
            spent = end[outermost[1, rank]]
            if is_rank_span:
                spent -= start[outermost[0, rank]]
            if spent > highest:
                highest, worst = spent, rank
        cost[sample] = highest
        last = outermost[1, worst]
        add_op(last, 1, letters, rank_of, start, end, of_rank, of_kind)
        add_path(last, 1, letters, before, source, rank_of, start, end, of_rank, of_kind)
        if is_rank_span:
            # It counts from the rank's first start: what decides that is not in it.
            first = outermost[0, worst]
            add_path(first, -1, letters, before, source, rank_of, start, end, of_rank, of_kind)
