"""An order with its timing, and which of two is better."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nobubble.order import Order
from nobubble.problem import UNLIMITED, Problem
from nobubble.timing import Timing, time_of


@dataclass(frozen=True, slots=True)
class Solution:
    """A schedule that a method found.

    Attributes
    ----------
    method : str
        What found it.
    order, timing : Order, Timing
    """

    method: str
    order: Order
    timing: Timing

    @classmethod
    def of(cls, method: str, problem: Problem, order: Order) -> Solution:
        """Time an order."""
        return cls(method, order, time_of(problem, order))

    def rank_of_merit(self, problem: Problem) -> tuple[float, ...]:
        """Give what is compared, lower first: the cost, the highest peak, the other cost."""
        cost, other = merit(problem, self.timing.makespan, self.timing.rank_span)
        return cost, self._highest_peak(problem), other

    def _highest_peak(self, problem: Problem) -> float:
        """Give the highest peak over its rank's limit, over ranks; in bytes where none has one."""
        limited = problem.capacity < UNLIMITED
        if not limited.any():
            return float(self.timing.peak_memory.max())
        limits = (problem.capacity + problem.static_memory)[limited]
        return float(np.max(self.timing.peak_memory[limited] / np.maximum(limits, 1)))


def merit(problem: Problem, makespan: int, rank_span: int) -> tuple[int, int]:
    """Give the objective's value and the other cost, as a schedule is compared."""
    if problem.objective == "makespan":
        return makespan, rank_span
    return rank_span, makespan
