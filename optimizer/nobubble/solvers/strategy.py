"""What each method tries, one thing after the other, until a schedule meets the bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from nobubble.bounds.best import best_bound
from nobubble.bounds.bound import Bound
from nobubble.errors import InfeasibleError, MethodError, NoScheduleError
from nobubble.methods import NAMED_SCHEDULES, Effort, is_named
from nobubble.problem import Problem
from nobubble.profile.model import Profile
from nobubble.schedule.document import StoppedBy
from nobubble.solvers.answer import Answer
from nobubble.solvers.blocks import blocks
from nobubble.solvers.greedy import greedy
from nobubble.solvers.memory import require_feasible
from nobubble.solvers.named import allowing_what_it_uses, named_solution, named_solutions
from nobubble.solvers.outcome import Outcome
from nobubble.solvers.placed_weights import placed_weights
from nobubble.solvers.search.search import search
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch
from nobubble.solvers.zb_auto import zb_auto
from nobubble.units import TIME_UNITS, spell


@dataclass(frozen=True, slots=True)
class Budget:
    """How much work an effort stands for.

    Attributes
    ----------
    search : int
        Of the local search, in ops timed: some 20 million a second.
    exact : float
        Of an exact solver asked for by name: CP-SAT's deterministic seconds, and MILP's own unit.
    exact_in_auto : float
        Of CP-SAT within `auto`.
    most_ops : int
        The largest problem on which `auto` tries CP-SAT.
    windows : float
        Of CP-SAT on slices of larger problems, in deterministic seconds.
    climbs : int
        How many building blocks to try beside those that every problem is given.
    """

    search: int
    exact: float
    exact_in_auto: float
    most_ops: int
    windows: float
    climbs: int


BUDGETS: Final[dict[Effort, Budget]] = {
    "fast": Budget(search=0, exact=1.0, exact_in_auto=0.0, most_ops=0, windows=0.0, climbs=0),
    "normal": Budget(
        search=20_000_000, exact=5.0, exact_in_auto=0.5, most_ops=200, windows=0.0, climbs=300
    ),
    "max": Budget(
        search=1_000_000_000,
        exact=60.0,
        exact_in_auto=10.0,
        most_ops=1000,
        windows=10.0,
        climbs=5_000,
    ),
}


@dataclass(frozen=True, slots=True)
class Task:
    """What to solve, and how.

    Attributes
    ----------
    profile, problem : Profile, Problem
    method : str
        See `nobubble.methods.is_method`.
    effort : {"fast", "normal", "max"}
    seed : int
    watch : Watch
    """

    profile: Profile
    problem: Problem
    method: str
    effort: Effort
    seed: int
    watch: Watch


def answer(task: Task) -> Answer:
    """Run a method.

    Raises
    ------
    MethodError, InfeasibleError, NoScheduleError
        See `nobubble.solve.solve`.
    """
    problem, watch = task.problem, task.watch
    if is_named(task.method):
        solution = named_solution(task.profile, problem, task.method)
        bound = best_bound(allowing_what_it_uses(problem, solution))
        is_optimal = solution.timing.cost(problem) == bound.value
        return Answer(solution, bound, "proof" if is_optimal else "completed")
    require_feasible(task.profile, problem)
    best = _Best(task, best_bound(problem))
    for number, attempt in enumerate(_STEPS[task.method]):
        # Without any time the first attempt is made all the same: it may be over at once.
        if best.is_proven() or (number > 0 and watch.is_over()):
            break
        attempt(task, best)
    return best.answer()


class _Best:
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


def _try_greedy(task: Task, best: _Best) -> None:
    for solution in _constructed(task, best.bound.value):
        best.offer(solution)
        if best.is_proven():
            break


def _constructed(task: Task, bound: int) -> Iterator[Solution]:
    """Give the schedules of the list scheduler: by its own rules, and by building blocks."""
    yield from greedy(task.profile, task.problem, task.watch)
    if not task.watch.is_over():
        climbs = BUDGETS[task.effort].climbs
        yield from blocks(task.problem, task.watch, bound=bound, climbs=climbs, seed=task.seed)


def _try_zb_auto(task: Task, best: _Best) -> None:
    solution = zb_auto(task.profile, task.problem, task.watch)
    if solution is not None:
        best.offer(solution)


def _try_heuristics(task: Task, best: _Best) -> None:
    for solution in _heuristics(task, best.bound.value):
        best.offer(solution)
        if best.is_proven():
            break


def _heuristics(task: Task, bound: int) -> Iterator[Solution]:
    """Give the schedules of all that is quick and applies, the quickest first."""
    yield from named_solutions(task.profile, task.problem)
    if task.watch.is_over():
        return
    try:
        solution = zb_auto(task.profile, task.problem, task.watch)
    except (MethodError, InfeasibleError):
        solution = None
    if solution is not None:
        yield solution
    yield from _constructed(task, bound)


def _try_placed_weights(task: Task, best: _Best) -> None:
    for solution in placed_weights(task.problem, list(best.solutions), task.watch):
        best.offer(solution)
        if best.is_proven():
            break


def _try_search(task: Task, best: _Best) -> None:
    if task.effort != "fast" or task.method == "search":
        _search(task, best, BUDGETS["normal"].search)


def _try_longer_search(task: Task, best: _Best) -> None:
    """Go on with what an effort above normal has: after a first search, and perhaps a proof."""
    work = BUDGETS[task.effort].search - BUDGETS["normal"].search
    if work > 0:
        _search(task, best, work)


def _search(task: Task, best: _Best, work: int) -> None:
    best.worked = True
    search(
        task.problem,
        list(best.solutions),
        task.watch,
        bound=best.bound.value,
        work=work,
        seed=task.seed,
        found=best.offer,
    )


def _try_cpsat(task: Task, best: _Best) -> None:
    budget = BUDGETS[task.effort]
    work = budget.exact
    if task.method == "auto":
        if 3 * task.problem.stages * task.problem.microbatches > budget.most_ops:
            return
        work = budget.exact_in_auto
    # Imported late: it takes most of a second, and is seldom needed.
    from nobubble.solvers.cpsat import cpsat

    task.watch.report("cpsat: looking for a proof")
    outcome = cpsat(
        task.problem, task.watch, start=best.solution, bound=best.bound.value, work=work
    )
    best.take("cpsat", outcome)


def _try_windows(task: Task, best: _Best) -> None:
    """Improve slices of what was found, where the whole is too large for CP-SAT."""
    work = BUDGETS[task.effort].windows
    if work <= 0:
        return
    from nobubble.solvers.windows import improve_windows

    best.worked = True
    task.watch.report("windows: improving slices of the schedule")
    improve_windows(
        task.problem,
        best.solution,
        task.watch,
        bound=best.bound.value,
        work=work,
        seed=task.seed,
        found=best.offer,
    )


def _try_milp(task: Task, best: _Best) -> None:
    from nobubble.solvers.milp import milp

    task.watch.report("milp: looking for a proof")
    outcome = milp(
        task.problem,
        task.watch,
        start=best.solution,
        bound=best.bound.value,
        work=BUDGETS[task.effort].exact,
    )
    best.take("milp", outcome)


_STEPS: Final[dict[str, tuple[Callable[[Task, _Best], None], ...]]] = {
    "auto": (
        _try_heuristics,
        _try_placed_weights,
        _try_search,
        _try_cpsat,
        _try_longer_search,
        _try_windows,
    ),
    "greedy": (_try_greedy,),
    "zb-auto": (_try_zb_auto,),
    "search": (_try_heuristics, _try_placed_weights, _try_search, _try_longer_search),
    "cpsat": (_try_heuristics, _try_cpsat),
    "milp": (_try_heuristics, _try_milp),
}
