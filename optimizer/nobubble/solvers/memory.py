"""How much memory a microbatch takes, and whether a rank has it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobubble.errors import InfeasibleError
from nobubble.problem import BW, B, F, Problem, W
from nobubble.profile.model import Profile
from nobubble.solvers.one_at_a_time import smallest_capacity
from nobubble.units import MEMORY_UNITS, spell


@dataclass(frozen=True, slots=True)
class RankNeeds:
    """What one microbatch takes on one rank, alone, with its W's right after their B's.

    The ops of a microbatch on a rank come in one order: the F's of its stages, ascending, then
    the backwards, descending. With q of these done:

    Attributes
    ----------
    need : ndarray of int64, shape (2 * v + 1,)
        The bytes that ending it takes at most, beyond those that it holds already.
    held : ndarray of int64, shape (2 * v + 1,)
        The bytes that it holds, which ending it gives back.
    """

    need: NDArray[np.int64]
    held: NDArray[np.int64]


def rank_needs(problem: Problem, rank: int) -> RankNeeds:
    """Give what one microbatch takes on a rank.

    Where a stage may run backward in both ways, the one that needs less counts.
    """
    stages = problem.stages_on(rank)
    steps = [_forward_step(problem, s) for s in stages]
    steps += [_backward_step(problem, s) for s in reversed(stages)]
    need, held = [0], [0]
    for beside, change in reversed(steps):
        need.append(max(beside, change + need[-1], 0))
        held.append(held[-1] - change)
    return RankNeeds(np.array(need[::-1], np.int64), np.array(held[::-1], np.int64))


def _forward_step(problem: Problem, stage: int) -> tuple[int, int]:
    """Give what F takes beside what is held before it, and by how much it changes that."""
    change = int(problem.memory[stage, F])
    return change + int(problem.workspace[stage, F]), change


def _backward_step(problem: Problem, stage: int) -> tuple[int, int]:
    """Give the same of a whole backward: B and W, or BW."""
    memory, workspace = problem.memory[stage].tolist(), problem.workspace[stage].tolist()
    ways = []
    if problem.may_split[stage]:
        ways.append(max(max(memory[B], 0) + workspace[B], memory[B] + workspace[W]))
    if problem.may_fuse[stage]:
        ways.append(workspace[BW])
    return min(ways), -memory[F]


def smallest_capacities(problem: Problem) -> NDArray[np.int64]:
    """Give the smallest capacity of every rank under which a schedule exists, shape (p,)."""
    return np.array(
        [
            smallest_capacity(problem, rank, enough=int(rank_needs(problem, rank).need[0]))
            for rank in range(problem.ranks)
        ],
        dtype=np.int64,
    )


def require_feasible(
    profile: Profile, problem: Problem, *, smallest_is: str = "with which a schedule exists"
) -> None:
    """Refuse limits under which no schedule exists.

    Parameters
    ----------
    profile, problem : Profile, Problem
    smallest_is : str
        What the smallest limit is, for the message.

    Raises
    ------
    InfeasibleError
        It names the rank that lacks most.
    """
    smallest = smallest_capacities(problem)
    lacking = smallest - problem.capacity
    rank = int(lacking.argmax())
    if lacking[rank] <= 0:
        return
    static = int(problem.static_memory[rank])
    limit = int(problem.capacity[rank]) + static
    needed = int(smallest[rank]) + static
    limits = (smallest + problem.static_memory).tolist()
    others = int((lacking > 0).sum()) - 1
    unit = profile.memory_unit
    size = MEMORY_UNITS[unit]
    of_it = f", {spell(static, size, unit)} of it static memory" if static else ""
    too = f"; {others} other rank{'s' * (others > 1)} cannot do it either" if others else ""
    raise InfeasibleError(
        f"rank {rank} binds: one microbatch at a time takes {spell(needed, size, unit)} there"
        f"{of_it}, but the limit is {spell(limit, size, unit)}{too}. The smallest limit for all "
        f"ranks {smallest_is} is {spell(max(limits), size, unit)}{_rank_by_rank(limits, size)}. "
        "Raise the limit, hold less static memory there, or move layers to another rank.",
        rank=rank,
        limit=limit,
        needed=needed,
    )


def _rank_by_rank(limits: list[int], size: int) -> str:
    """List the limits of the ranks, where they differ and are not too many to read."""
    if len(set(limits)) == 1 or len(limits) > 16:
        return ""
    return f" (rank by rank: {', '.join(spell(limit, size, '').strip() for limit in limits)})"
