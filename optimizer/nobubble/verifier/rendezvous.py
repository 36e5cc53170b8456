"""Transfers whose both sides must meet: whether they can all take place."""

from __future__ import annotations

from collections.abc import Sequence


def waiting_circle(
    trips: Sequence[Sequence[int]], peers: Sequence[Sequence[int]]
) -> list[tuple[int, int]]:
    """Run the transfers of every rank in order, each when both of its ranks have come to it.

    Ops need no running: a rank runs them when it reaches them, since what they need from elsewhere
    is received before them.

    Parameters
    ----------
    trips : list of list of int
        Of every rank, the transfers in its order; the same number on both ranks.
    peers : list of list of int
        The other rank of each.

    Returns
    -------
    list of (int, int)
        Rank and place of every transfer in a circle of waiting, each waiting for the next and the
        last for the first; empty when all transfers take place.
    """
    reached = [0] * len(trips)
    to_look_at = list(range(len(trips)))
    while to_look_at:
        rank = to_look_at.pop()
        mine, other = trips[rank], peers[rank]
        at = reached[rank]
        while at < len(mine):
            peer = other[at]
            theirs = trips[peer]
            if reached[peer] == len(theirs) or theirs[reached[peer]] != mine[at]:
                break
            at += 1
            reached[rank] = at
            reached[peer] += 1
            to_look_at.append(peer)
    stuck = next((rank for rank, at in enumerate(reached) if at < len(trips[rank])), None)
    if stuck is None:
        return []
    # A stuck rank's peer has that transfer before it still, so it is stuck too.
    path: list[int] = []
    rank = stuck
    while rank not in path:
        path.append(rank)
        rank = peers[rank][reached[rank]]
    return [(rank, reached[rank]) for rank in path[path.index(rank) :]]
