"""W's placed anew in orders that were made for other times."""

from __future__ import annotations

import numpy as np

from nobubble.compiled.weight_placing import place_weights
from nobubble.order import Order
from nobubble.problem import Problem


class WeightPlacer:
    """Places the W's of orders anew.

    Parameters
    ----------
    problem : Problem
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        most = 3 * problem.stages * problem.microbatches
        self._letters = np.empty(most, dtype=np.int32)
        self._counts = np.empty(problem.ranks, dtype=np.int64)
        self._of_rank = np.empty((3, problem.ranks), dtype=np.int64)
        self._starts = np.zeros(problem.ranks, dtype=np.int64)

    def run(self, order: Order, gap_eighths: int, balanced: bool) -> bool:
        """Place them; say whether that came to the end."""
        problem = self._problem
        self._starts = order.offsets[:-1]
        left = place_weights(
            order.letters,
            order.offsets,
            problem.microbatches,
            problem.rank_of,
            problem.time,
            problem.memory,
            problem.workspace,
            problem.forward_latency,
            problem.backward_latency,
            problem.capacity,
            gap_eighths,
            balanced,
            self._letters,
            self._counts,
            self._of_rank,
        )
        return left == 0

    def costs(self) -> tuple[int, int]:
        """Give makespan and rank span of the last order, in ns."""
        start, end, _ = self._of_rank
        return int(end.max() - start.min()), int((end - start).max())

    def order(self) -> Order:
        """Give the last order."""
        return Order.of(
            self._letters[at : at + count]
            for at, count in zip(self._starts, self._counts, strict=True)
        )
