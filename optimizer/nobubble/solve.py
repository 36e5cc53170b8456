"""From a profile to a verified schedule: the way that every answer takes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from nobubble.errors import InfeasibleError, MethodError, NoScheduleError, VerificationError
from nobubble.methods import METHODS, NAMED_SCHEDULES
from nobubble.profile.model import Profile
from nobubble.units import MEMORY_UNITS, TIME_UNITS, spell

if TYPE_CHECKING:
    from nobubble.problem import Problem
    from nobubble.schedule.document import ScheduleDocument
    from nobubble.solvers.solution import Solution
    from nobubble.solvers.watch import Watch

__all__ = ["METHODS", "solve"]


def solve(
    profile: Profile,
    *,
    method: str = "auto",
    time_limit: float | None = None,
    ignore_memory_limit: bool = False,
    progress: Callable[[str], None] | None = None,
) -> ScheduleDocument:
    """Find a schedule, bound its cost from below, verify it and write it up.

    Parameters
    ----------
    profile : Profile
        Its objective is what is minimised.
    method : str
        One of METHODS: `auto` takes the best of the named schedules that keep to the profile, the
        paper's heuristic and the list scheduler.
    time_limit : float, optional
        Seconds after which no further attempt is begun. The result then says ``time_limit`` in
        ``stopped_by``, and may differ from run to run.
    ignore_memory_limit : bool
        Solve the profile without its memory limits.
    progress : callable, optional
        Takes a line of text now and then.

    Returns
    -------
    ScheduleDocument
        It has passed the verifier.

    Raises
    ------
    MethodError
        The method does not exist, or is not made for this profile.
    InfeasibleError
        The memory limits are too small for the method.
    NoScheduleError
        The time limit passed before there was a schedule.
    VerificationError
        The verifier refuses what was found: a fault of nobubble's own.
    """
    # Imported here, since they take a while and `METHODS` is needed without them.
    from nobubble.bounds.best import best_bound
    from nobubble.problem import Problem
    from nobubble.schedule.building import build_schedule
    from nobubble.solvers.memory import require_feasible
    from nobubble.solvers.watch import Watch
    from nobubble.verifier.verify import verify

    if method not in METHODS:
        raise MethodError(f"there is no method {method!r}; take one of {', '.join(METHODS)}")
    if ignore_memory_limit:
        profile = replace(profile, memory_limit=(None,) * profile.ranks)
    problem = Problem.of(profile)
    watch = Watch(time_limit, progress)
    if method in NAMED_SCHEDULES:
        solution = _named(profile, problem, method)
        bound = best_bound(_allowing_what_it_uses(problem, solution))
    else:
        require_feasible(profile, problem)
        bound = best_bound(problem)
        solution = _best(profile, problem, method, bound.value, watch)
    is_optimal = solution.timing.cost(problem) == bound.value
    options: dict[str, object] = {"method": method}
    if ignore_memory_limit:
        options["ignore_memory_limit"] = True
    document = build_schedule(
        profile,
        problem,
        solution.order,
        solution.timing,
        bound,
        method=solution.method,
        stopped_by=("proof" if is_optimal else "time_limit" if watch.cut_short else "completed"),
        options=options,
    )
    findings = verify(document)
    if findings:
        raise VerificationError(
            [f"{solution.method} made a schedule that is wrong; please report this:", *findings]
        )
    return document


def _best(profile: Profile, problem: Problem, method: str, bound: int, watch: Watch) -> Solution:
    """Give the best of what a method tries, until one meets the bound or the time is up."""
    best: Solution | None = None
    for solution in _attempts(profile, problem, method, watch):
        merit = solution.rank_of_merit(problem)
        if best is None or merit < best.rank_of_merit(problem):
            best = solution
            cost = spell(merit[0], TIME_UNITS[profile.time_unit], profile.time_unit)
            watch.report(f"{solution.method}: {problem.objective} {cost}")
        if merit[0] == bound:
            break
    if best is None:
        raise NoScheduleError(
            "the time limit passed before there was a schedule; give more time, or take a named "
            f"schedule ({', '.join(NAMED_SCHEDULES)})"
        )
    return best


def _attempts(profile: Profile, problem: Problem, method: str, watch: Watch) -> Iterator[Solution]:
    """Give the schedules that a method finds, the quickest first."""
    from nobubble.solvers.greedy import greedy
    from nobubble.solvers.zb_auto import zb_auto

    if method == "auto":
        for name in NAMED_SCHEDULES:
            try:
                solution = _named(profile, problem, name)
            except (MethodError, InfeasibleError):
                continue
            if _allowing_what_it_uses(problem, solution) is problem:
                yield solution
    for name, solver in (("zb-auto", zb_auto), ("greedy", greedy)):
        if method in ("auto", name) and not watch.is_over():
            try:
                found = solver(profile, problem, watch)
            except (MethodError, InfeasibleError):
                if method != "auto":
                    raise
                continue
            if found is not None:
                yield found


def _named(profile: Profile, problem: Problem, name: str) -> Solution:
    """Give a named schedule, if it is made for the placement and fits into memory."""
    from nobubble.named import NAMED_ORDERS
    from nobubble.solvers.solution import Solution

    solution = Solution.of(name, problem, NAMED_ORDERS[name](problem))
    peak = solution.timing.peak_memory - problem.static_memory
    over = peak - problem.capacity
    rank = int(over.argmax())
    if over[rank] > 0:
        size, unit = MEMORY_UNITS[profile.memory_unit], profile.memory_unit
        limit = int(problem.capacity[rank] + problem.static_memory[rank])
        needed = limit + int(over[rank])
        raise InfeasibleError(
            f"{name} holds {spell(needed, size, unit)} on rank {rank}, "
            f"{spell(int(over[rank]), size, unit)} over its limit of {spell(limit, size, unit)}. "
            "Raise the limit, take --method auto, or see it with --ignore-memory-limit.",
            rank=rank,
            limit=limit,
            needed=needed,
        )
    return solution


def _allowing_what_it_uses(problem: Problem, solution: Solution) -> Problem:
    """Give the problem in which the ways of running backward that a schedule uses are allowed.

    It is the same object where the schedule keeps to the problem's own.
    """
    import numpy as np

    from nobubble.problem import BW, B

    stage, kind = np.divmod(solution.order.letters, 4)
    stages = np.arange(problem.stages)
    split = np.isin(stages, stage[kind == B])
    fused = np.isin(stages, stage[kind == BW])
    if (problem.may_split | ~split).all() and (problem.may_fuse | ~fused).all():
        return problem
    return problem.allowing(split=split, fused=fused)
