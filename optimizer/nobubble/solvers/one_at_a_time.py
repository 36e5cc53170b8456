"""One microbatch after the other: the schedule that takes least memory."""

from __future__ import annotations

from nobubble.order import Order, letter
from nobubble.problem import BW, B, F, Problem, W


def one_at_a_time(problem: Problem) -> Order | None:
    """Run each microbatch to its end on a rank before the next begins there.

    On every rank the backward is BW where that is allowed and fits, and each W runs as soon as it
    fits. Nothing takes less memory: the level is never raised by running a W, or BW in place of B,
    as soon as may be; and any schedule holds, at each of a microbatch's ops, at least what that
    microbatch holds alone. So where this does not fit, no schedule does.

    Returns
    -------
    Order or None
        None where a rank has no memory for it.
    """
    rows = []
    for rank in range(problem.ranks):
        row = _row(problem, rank, int(problem.capacity[rank]))
        if row is None:
            return None
        rows.append(row * problem.microbatches)
    return Order.of(rows)


def smallest_capacity(problem: Problem, rank: int, enough: int) -> int:
    """Give the smallest capacity of a rank under which a schedule exists, in bytes.

    Parameters
    ----------
    enough : int
        One that is enough.
    """
    low, high = 0, enough
    while low < high:
        middle = (low + high) // 2
        if _row(problem, rank, middle) is None:
            low = middle + 1
        else:
            high = middle
    return low


def _row(problem: Problem, rank: int, capacity: int) -> list[int] | None:
    """Give the letters of one microbatch on a rank, or None where they do not fit."""
    memory, workspace = problem.memory.tolist(), problem.workspace.tolist()
    stages = problem.stages_on(rank)
    level = 0
    row: list[int] = []
    pending: list[int] = []

    def runs(stage: int, kind: int) -> bool:
        """Run an op if it fits."""
        nonlocal level
        change = memory[stage][kind]
        if level + max(change, 0) + workspace[stage][kind] > capacity:
            return False
        level += change
        row.append(letter(stage, kind))
        return True

    for stage in stages:
        if not runs(stage, F):
            return None
    for stage in reversed(stages):
        if problem.may_fuse[stage] and runs(stage, BW):
            continue
        if not (problem.may_split[stage] and runs(stage, B)):
            return None
        pending.append(stage)
        while (fitting := next((s for s in pending if runs(s, W)), None)) is not None:
            pending.remove(fitting)
    return None if pending else row
