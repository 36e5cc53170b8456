"""The timing of one order many times over."""

from __future__ import annotations

import numpy as np

from nobubble.compiled.timing import time_order
from nobubble.order import Order
from nobubble.problem import Problem


def time_again(problem: Problem, order: Order, times: int) -> None:
    """Time an order so many times, into the same arrays."""
    start = np.empty(len(order.letters), dtype=np.int64)
    sequence = np.empty(len(order.letters), dtype=np.int32)
    position = np.empty(problem.ranks, dtype=np.int64)
    of_rank = np.empty((3, problem.ranks), dtype=np.int64)
    for _ in range(times):
        time_order(
            order.letters,
            order.offsets,
            problem.microbatches,
            problem.rank_of,
            problem.time,
            problem.memory,
            problem.workspace,
            problem.forward_latency,
            problem.backward_latency,
            start,
            sequence,
            position,
            of_rank,
        )
