"""Which ways of running backward a schedule can use."""

from __future__ import annotations

from nobubble.problem import BW, UNLIMITED, B, F, Problem, W


def possible_ways(problem: Problem) -> tuple[list[bool], list[bool]]:
    """Give, for every stage, whether memory lets a backward run as B and W, and as BW.

    When a backward starts, its microbatch holds M_F at the stage and at the rank's lower stages.
    That, the workspace, and what B adds have to fit into the capacity; so do M_F + M_B and the
    workspace of W, however late it runs. Where neither way fits there is no schedule, and both
    stand as the problem has them.

    Returns
    -------
    may_split, may_fuse : list of bool, length S
    """
    may_split, may_fuse = problem.may_split.tolist(), problem.may_fuse.tolist()
    memory, workspace = problem.memory.tolist(), problem.workspace.tolist()
    held = [0] * problem.ranks
    for s, rank in enumerate(problem.rank_of.tolist()):
        capacity = int(problem.capacity[rank])
        held[rank] += memory[s][F]
        if capacity >= UNLIMITED or not (may_split[s] and may_fuse[s]):
            continue
        split = (
            held[rank] + max(0, memory[s][B]) + workspace[s][B] <= capacity
            and memory[s][F] + memory[s][B] + workspace[s][W] <= capacity
        )
        fuse = held[rank] + workspace[s][BW] <= capacity
        if split or fuse:
            may_split[s], may_fuse[s] = split, fuse
    return may_split, may_fuse
