"""An order with its timing, and which of two is better."""

from __future__ import annotations

from dataclasses import dataclass

from nobubble.order import Order
from nobubble.problem import Problem
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

    def rank_of_merit(self, problem: Problem) -> tuple[int, int]:
        """Give what is compared, lower first: the cost, then what else it costs."""
        return merit(problem, self.timing.makespan, self.timing.rank_span)


def merit(problem: Problem, makespan: int, rank_span: int) -> tuple[int, int]:
    """Give the objective's value and the other cost, as a schedule is compared."""
    if problem.objective == "makespan":
        return makespan, rank_span
    return rank_span, makespan
