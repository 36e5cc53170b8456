"""What each method tries, one thing after the other, until a schedule meets the bound."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from nobubble.bounds.best import best_bound
from nobubble.errors import InfeasibleError, MethodError, NoScheduleError
from nobubble.methods import is_named
from nobubble.solvers.answer import Answer
from nobubble.solvers.best_so_far import BestSoFar
from nobubble.solvers.blocks import blocks
from nobubble.solvers.greedy import greedy
from nobubble.solvers.memory import require_feasible
from nobubble.solvers.named import allowing_what_it_uses, named_solution, named_solutions
from nobubble.solvers.placed_weights import placed_weights
from nobubble.solvers.search.search import search
from nobubble.solvers.solution import Solution
from nobubble.solvers.task import BUDGETS, Task
from nobubble.solvers.zb_auto import zb_auto


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
    best = BestSoFar(task, best_bound(problem))
    for number, attempt in enumerate(_STEPS[task.method]):
        # Without any time the first attempt is made all the same: it may be over at once.
        if best.is_proven() or (number > 0 and watch.is_over()):
            break
        attempt(task, best)
    return best.answer()


def _try_greedy(task: Task, best: BestSoFar) -> None:
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


def _try_zb_auto(task: Task, best: BestSoFar) -> None:
    solution = zb_auto(task.profile, task.problem, task.watch)
    if solution is not None:
        best.offer(solution)


def _try_heuristics(task: Task, best: BestSoFar) -> None:
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


def _try_one_way(task: Task, best: BestSoFar) -> None:
    """Where stages may choose, solve with all their backwards split, and with all of them fused.

    Each with the whole work of the effort: so the choice is never worse than not having it.
    """
    problem = task.problem
    free = problem.may_split & problem.may_fuse
    if not free.any():
        return
    for way, restricted in (
        ("split", replace(problem, may_fuse=problem.may_fuse & ~free)),
        ("fused", replace(problem, may_split=problem.may_split & ~free)),
    ):
        if best.is_proven() or task.watch.is_over():
            return
        watch = task.watch.within(f"backward {way}")
        try:
            found = answer(replace(task, problem=restricted, watch=watch))
        except (InfeasibleError, NoScheduleError):
            continue
        best.offer(found.solution)


def _try_placed_weights(task: Task, best: BestSoFar) -> None:
    for solution in placed_weights(task.problem, list(best.solutions), task.watch):
        best.offer(solution)
        if best.is_proven():
            break


def _try_search(task: Task, best: BestSoFar) -> None:
    if task.effort != "fast" or task.method == "search":
        _search(task, best, BUDGETS["normal"].search)


def _try_longer_search(task: Task, best: BestSoFar) -> None:
    """Go on with what an effort above normal has: after a first search, and perhaps a proof."""
    work = BUDGETS[task.effort].search - BUDGETS["normal"].search
    if work > 0:
        _search(task, best, work)


def _search(task: Task, best: BestSoFar, work: int) -> None:
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


def _try_cpsat(task: Task, best: BestSoFar) -> None:
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


def _try_windows(task: Task, best: BestSoFar) -> None:
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


def _try_milp(task: Task, best: BestSoFar) -> None:
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


_STEPS: Final[dict[str, tuple[Callable[[Task, BestSoFar], None], ...]]] = {
    "auto": (
        _try_heuristics,
        _try_one_way,
        _try_placed_weights,
        _try_search,
        _try_cpsat,
        _try_longer_search,
        _try_windows,
    ),
    "greedy": (_try_greedy,),
    "zb-auto": (_try_zb_auto,),
    "search": (
        _try_heuristics,
        _try_one_way,
        _try_placed_weights,
        _try_search,
        _try_longer_search,
    ),
    "cpsat": (_try_heuristics, _try_cpsat),
    "milp": (_try_heuristics, _try_milp),
}
