"""Named schedules as solutions: only where they fit."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nobubble.errors import InfeasibleError, MethodError
from nobubble.methods import GROUPED, NAMED_SCHEDULES
from nobubble.named import named_order
from nobubble.problem import BW, B, Problem
from nobubble.profile.model import Profile
from nobubble.solvers.solution import Solution
from nobubble.units import MEMORY_UNITS, spell


def named_solution(profile: Profile, problem: Problem, name: str) -> Solution:
    """Give a named schedule.

    Raises
    ------
    MethodError
        It is not made for the placement.
    InfeasibleError
        It is over a rank's memory limit.
    """
    solution = Solution.of(name, problem, named_order(problem, name))
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


def named_solutions(profile: Profile, problem: Problem) -> Iterator[Solution]:
    """Give the named schedules that keep to the profile: its placement, memory and backward."""
    for name in (*NAMED_SCHEDULES, *_with_groups(problem)):
        try:
            solution = named_solution(profile, problem, name)
        except (MethodError, InfeasibleError):
            continue
        if allowing_what_it_uses(problem, solution) is problem:
            yield solution


def _with_groups(problem: Problem) -> list[str]:
    """Give interleaved 1F1B with other group sizes: smaller ones take less memory."""
    p, m = problem.ranks, problem.microbatches
    groups = {p // 4, p // 2, 3 * p // 4, 2 * p, m} - {0, p}
    return [f"{GROUPED}:{group}" for group in sorted(groups) if group <= m]


def allowing_what_it_uses(problem: Problem, solution: Solution) -> Problem:
    """Give the problem in which the ways of running backward that a schedule uses are allowed.

    It is the same object where the schedule keeps to the problem's own.
    """
    stage, kind = np.divmod(solution.order.letters, 4)
    stages = np.arange(problem.stages)
    split = np.isin(stages, stage[kind == B])
    fused = np.isin(stages, stage[kind == BW])
    if (problem.may_split | ~split).all() and (problem.may_fuse | ~fused).all():
        return problem
    return problem.allowing(split=split, fused=fused)
