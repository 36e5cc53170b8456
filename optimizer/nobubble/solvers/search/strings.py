"""An order as the annealing kernel takes it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.op_table import table_of_ops
from nobubble.order import Order
from nobubble.problem import BW, B, Problem, W
from nobubble.timing import Timing


@dataclass(frozen=True, slots=True)
class Strings:
    """An order in which every backward has a B and a W.

    Ops are numbered ``(3 * stage + kind) * m + microbatch``, kind F, B or W. Where a backward is
    fused, its B stands for BW, and its W, which then takes nothing, comes right after it.

    Attributes
    ----------
    sequence : ndarray of int64, shape (3 * S * m,)
        The ops of every rank in its order, rank after rank.
    offsets : ndarray of int64, shape (p + 1,)
    fused : ndarray of bool, shape (S * m,)
        By ``stage * m + microbatch``.
    """

    sequence: NDArray[np.int64]
    offsets: NDArray[np.int64]
    fused: NDArray[np.bool_]

    @classmethod
    def of(cls, problem: Problem, order: Order) -> Strings:
        """Give the strings of an order."""
        ops, is_fused = _numbered(problem, order)
        ranks = np.repeat(order.ranks(), 1 + is_fused)
        fused = np.zeros(problem.stages * problem.microbatches, dtype=np.bool_)
        stage, j = np.divmod(ops[is_fused], 3 * problem.microbatches)
        fused[stage * problem.microbatches + j - problem.microbatches] = True
        return cls(
            sequence=_with_weights(problem, ops, is_fused),
            offsets=np.searchsorted(ranks, np.arange(problem.ranks + 1)).astype(np.int64),
            fused=fused,
        )

    @classmethod
    def with_table(
        cls, problem: Problem, order: Order, timing: Timing
    ) -> tuple[Strings, NDArray[np.int64]]:
        """Give the strings of an order, and the table of its ops (`nobubble.compiled.op_table`)."""
        strings = cls.of(problem, order)
        table = table_of_ops(
            problem.microbatches,
            problem.rank_of,
            problem.time,
            problem.memory,
            problem.workspace,
            problem.forward_latency,
            problem.backward_latency,
            strings.fused,
            strings.sequence,
            strings.offsets,
            _topological(problem, order, timing),
            problem.objective == "rank_span",
        )
        return strings, table

    def order(self, problem: Problem) -> Order:
        """Give the order that these strings stand for."""
        m = problem.microbatches
        letter, j = np.divmod(self.sequence, m)
        stage, kind = np.divmod(letter, 3)
        is_fused = self.fused[stage * m + j]
        kind = np.where(is_fused & (kind == B), BW, kind)
        stays = ~(is_fused & (kind == W))
        letters = (4 * stage + kind).astype(np.int32)
        return Order.of(
            letters[low:high][stays[low:high]]
            for low, high in zip(self.offsets[:-1], self.offsets[1:], strict=True)
        )


def _topological(problem: Problem, order: Order, timing: Timing) -> NDArray[np.int64]:
    """Give the ops, numbered as in `Strings`, in the sequence in which they were timed."""
    ops, is_fused = _numbered(problem, order)
    return _with_weights(problem, ops[timing.sequence], is_fused[timing.sequence])


def _numbered(problem: Problem, order: Order) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Give the numbers of an order's ops, shape (n,), and which of them are BW."""
    stage, kind = np.divmod(order.letters.astype(np.int64), 4)
    is_fused = kind == BW
    number = (3 * stage + np.where(is_fused, B, kind)) * problem.microbatches
    return number + order.microbatches(), is_fused


def _with_weights(
    problem: Problem, ops: NDArray[np.int64], is_fused: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Put the W of every fused backward right after it."""
    places = np.flatnonzero(is_fused) + 1
    return np.insert(ops, places, ops[is_fused] + problem.microbatches)
