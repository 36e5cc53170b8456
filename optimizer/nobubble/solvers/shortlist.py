"""The best few of many schedules."""

from __future__ import annotations

from collections.abc import Callable

from nobubble.order import Order
from nobubble.problem import Problem
from nobubble.solvers.solution import Solution, merit


class Shortlist:
    """Keeps the best schedules, of different cost.

    Parameters
    ----------
    problem : Problem
    most : int
        How many to keep.
    """

    def __init__(self, problem: Problem, most: int) -> None:
        self._problem = problem
        self._most = most
        self._best: dict[tuple[int, int], Order] = {}

    def offer(self, makespan: int, rank_span: int, order: Callable[[], Order]) -> bool:
        """Take a schedule if it is among the best so far, and say whether it is.

        Parameters
        ----------
        makespan, rank_span : int
            In ns.
        order : callable
            Gives its order; called only where it is taken.
        """
        this = merit(self._problem, makespan, rank_span)
        best = self._best
        if this in best or (len(best) == self._most and this > max(best)):
            return False
        best[this] = order()
        if len(best) > self._most:
            del best[max(best)]
        return True

    def solutions(self, method: str) -> list[Solution]:
        """Give them as found by a method, best first."""
        return [Solution.of(method, self._problem, self._best[key]) for key in sorted(self._best)]
