"""Ranks that wait for each other: whether all of them come to their end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Wait: TypeAlias = tuple[int, int] | None
"""A rank, and how many of its actions it has to have behind it; None waits for nothing."""


def waiting_circle(waits: Sequence[Sequence[Wait]]) -> list[tuple[int, int]]:
    """Run the actions of every rank in order, each when what it waits for has come.

    Parameters
    ----------
    waits : list of list of Wait
        Of every rank, what each of its actions waits for, in its order.

    Returns
    -------
    list of (int, int)
        Rank and place of every action in a circle of waiting, each waiting for the next one's
        rank and the last for the first's; empty when all ranks come to their end.
    """
    reached = [0] * len(waits)
    sleepers: list[list[int]] = [[] for _ in waits]
    awake = list(range(len(waits)))
    while awake:
        rank = awake.pop()
        mine = waits[rank]
        at = reached[rank]
        while at < len(mine):
            wait = mine[at]
            if wait is not None and reached[wait[0]] < wait[1]:
                sleepers[wait[0]].append(rank)
                break
            at += 1
        # Only who has come further wakes others, or two that wait for each other never end.
        if at > reached[rank]:
            reached[rank] = at
            awake += sleepers[rank]
            sleepers[rank] = []
    stuck = next((rank for rank, at in enumerate(reached) if at < len(waits[rank])), None)
    if stuck is None:
        return []
    # What a stuck rank waits for has not come, so that rank is stuck too.
    path: list[int] = []
    rank = stuck
    while rank not in path:
        path.append(rank)
        wait = waits[rank][reached[rank]]
        assert wait is not None
        rank = wait[0]
    return [(rank, reached[rank]) for rank in path[path.index(rank) :]]
