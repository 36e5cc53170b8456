"""An order as a graph: what every op of it waits for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobubble.order import Order
from nobubble.problem import BW, B, F, Problem
from nobubble.timing import Timing


@dataclass(frozen=True, slots=True)
class Graph:
    """The n ops of an order, each after all that it waits for.

    Attributes
    ----------
    letters : ndarray of int32, shape (n,)
        ``4 * stage + kind``.
    before : ndarray of int32, shape (n,)
        The op before it on its rank; n for none.
    source : ndarray of int32, shape (n,)
        The op whose output it needs, where another rank or stage makes it; n for none.
    latency : ndarray of int64, shape (n,)
        How long that output travels, in ns.
    number : ndarray of int64, shape (n,)
        ``(stage * m + microbatch) * 4 + kind``: the same in every order.
    outermost : ndarray of int64, shape (2, p)
        The first and the last op of every rank.
    """

    letters: NDArray[np.int32]
    before: NDArray[np.int32]
    source: NDArray[np.int32]
    latency: NDArray[np.int64]
    number: NDArray[np.int64]
    outermost: NDArray[np.int64]

    @classmethod
    def of(cls, problem: Problem, order: Order, timing: Timing) -> Graph:
        """Give the graph of an order, in the sequence in which it was timed."""
        n, m, last = len(order.letters), problem.microbatches, problem.stages - 1
        # The place of every op in the sequence; n, the last one, stands for no op.
        turn = np.full(n + 1, n, dtype=np.int32)
        turn[timing.sequence] = np.arange(n, dtype=np.int32)
        stage, kind = np.divmod(order.letters.astype(np.int64), 4)
        cell = stage * m + order.microbatches()
        is_forward, is_backward = kind == F, (kind == B) | (kind == BW)

        forward = np.empty((last + 2) * m, dtype=np.int32)
        backward = np.empty((last + 2) * m, dtype=np.int32)
        forward[cell[is_forward]] = np.flatnonzero(is_forward)
        backward[cell[is_backward]] = np.flatnonzero(is_backward)
        source = np.full(n, n, dtype=np.int32)
        inner = is_forward & (stage > 0)
        source[inner] = forward[cell[inner] - m]
        inner = is_backward & (stage < last)
        source[inner] = backward[cell[inner] + m]
        latency = np.where(is_forward, problem.forward_latency[stage], 0)
        latency += np.where(is_backward, problem.backward_latency[stage], 0)

        before = np.arange(-1, n - 1, dtype=np.int32)
        before[order.offsets[:-1]] = n
        sequence = timing.sequence
        return cls(
            letters=order.letters[sequence],
            before=turn[before[sequence]],
            source=turn[source[sequence]],
            latency=latency[sequence],
            number=(4 * cell + kind)[sequence],
            outermost=np.stack([turn[order.offsets[:-1]], turn[order.offsets[1:] - 1]]).astype(
                np.int64
            ),
        )
