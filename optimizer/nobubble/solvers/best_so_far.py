"""The best schedule and the best bound while solvers work."""

from __future__ import annotations

from nobubble.bounds.bound import Bound
from nobubble.errors import NoScheduleError
from nobubble.methods import NAMED_SCHEDULES
from nobubble.schedule.document import StoppedBy
from nobubble.solvers.answer import Answer
from nobubble.solvers.outcome import Outcome
from nobubble.solvers.solution import Solution
from nobubble.solvers.task import Task
from nobubble.units import TIME_UNITS, spell


class BestSoFar:
    """The schedules found so far, and the best bound.

    Parameters
    ----------
    task : Task
    bound : Bound
    """

    def __init__(self, task: Task, bound: Bound) -> None:
        self._task = task
        self.bound = bound
        self.solutions: list[Solution] = []
        self.worked = False

    @property
    def solution(self) -> Solution:
        """The best schedule so far."""
        problem = self._task.problem
        return min(self.solutions, key=lambda solution: solution.rank_of_merit(problem))

    def offer(self, solution: Solution) -> None:
        """Take note of a schedule, and tell of it when it is cheaper than all before."""
        problem = self._task.problem
        cost = solution.timing.cost(problem)
        is_news = not self.solutions or cost < self.solution.timing.cost(problem)
        self.solutions.append(solution)
        if is_news:
            self._tell()

    def take(self, method: str, outcome: Outcome) -> None:
        """Take note of what an exact solver found and proved."""
        self.worked |= outcome.stopped_by == "work"
        if outcome.solution is not None:
            self.offer(outcome.solution)
        if outcome.lower_bound is not None and outcome.lower_bound > self.bound.value:
            self.bound = Bound(method, outcome.lower_bound)
            if self.solutions:
                self._tell()

    def is_proven(self) -> bool:
        """Say whether the best schedule meets the bound."""
        problem = self._task.problem
        return bool(self.solutions) and self.solution.timing.cost(problem) == self.bound.value

    def answer(self) -> Answer:
        """Give what was found.

        Raises
        ------
        NoScheduleError
            Nothing was.
        """
        if not self.solutions:
            what = "it was stopped" if self._task.watch.was_stopped else "the time limit passed"
            raise NoScheduleError(
                f"{what} before there was a schedule; give more time, or take a named schedule "
                f"({', '.join(NAMED_SCHEDULES)})"
            )
        if self.is_proven():
            return Answer(self.solution, self.bound, "proof")
        watch = self._task.watch
        if watch.cut_short:
            stopped_by: StoppedBy = "stopped" if watch.was_stopped else "time_limit"
            return Answer(self.solution, self.bound, stopped_by)
        return Answer(self.solution, self.bound, "work" if self.worked else "completed")

    def _tell(self) -> None:
        """Report the best cost, the bound and the gap."""
        problem, profile = self._task.problem, self._task.profile
        best = self.solution
        cost = best.timing.cost(problem)
        unit = profile.time_unit
        spelled, bound = (spell(t, TIME_UNITS[unit], unit) for t in (cost, self.bound.value))
        gap = (cost - self.bound.value) / cost if cost else 0.0
        name = problem.objective.replace("_", " ")
        self._task.watch.report(
            f"{best.method}: {name} {spelled}, bound {bound}, gap {gap:.2%}",
            Answer(best, self.bound, "proof" if self.is_proven() else "stopped"),
        )
