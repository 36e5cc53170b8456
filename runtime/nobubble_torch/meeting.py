"""Whether sends and receives meet: one order for each pair of ranks, and no circle of waiting."""

from __future__ import annotations

from collections.abc import Sequence

from nobubble_torch.document import TRANSFERS, Action


def check_meeting(rows: Sequence[Sequence[Action]]) -> list[str]:
    """Run the transfers of all ranks, each when both its ranks have come to it.

    Messages between two ranks have no tags: what is received first is what was sent first, and
    with stages on the way back one channel carries activations and gradients. And a send may wait
    until its receiver is there. So what is checked is the strictest: both ranks of a pair list
    their transfers in one order, and all can take place though every send and every receive
    waits for the other.

    Parameters
    ----------
    rows : sequence of sequence of Action
        All that the ranks do; every transfer is there once on either side.

    Returns
    -------
    list of str
        What is wrong; empty when all take place.
    """
    transfers = [[action for action in row if action.op in TRANSFERS] for row in rows]
    return _pairs(transfers) or _circle(transfers)


def _trip(action: Action) -> tuple[str, int, int]:
    """Name a transfer, the same on both sides: its way, the stage that sends, the microbatch."""
    way = action.op[-1]
    sender = {"RECV_F": action.stage - 1, "RECV_B": action.stage + 1}.get(action.op, action.stage)
    return way, sender, action.microbatch


def _pairs(transfers: list[list[Action]]) -> list[str]:
    findings = []
    for rank, row in enumerate(transfers):
        for peer in sorted({action.peer for action in row if action.peer is not None}):
            if peer < rank:
                continue
            here = [action for action in row if action.peer == peer]
            there = [action for action in transfers[peer] if action.peer == rank]
            for mine, theirs in zip(here, there, strict=True):
                if _trip(mine) != _trip(theirs):
                    findings.append(
                        f"ranks {rank} and {peer} list their transfers in different orders: where "
                        f"rank {rank} has {mine}, rank {peer} has {theirs}; messages have no tags, "
                        "and one would be taken for the other"
                    )
                    break
    return findings


def _circle(transfers: list[list[Action]]) -> list[str]:
    trips = [[_trip(action) for action in row] for row in transfers]
    reached = [0] * len(transfers)
    to_look_at = list(range(len(transfers)))
    while to_look_at:
        rank = to_look_at.pop()
        while reached[rank] < len(transfers[rank]):
            peer = transfers[rank][reached[rank]].peer
            assert peer is not None
            at = reached[peer]
            if at == len(trips[peer]) or trips[peer][at] != trips[rank][reached[rank]]:
                break
            reached[rank] += 1
            reached[peer] += 1
            to_look_at.append(peer)
    waits = [
        f"rank {rank} waits at {row[at]} for rank {row[at].peer}"
        for rank, (row, at) in enumerate(zip(transfers, reached, strict=True))
        if at < len(row)
    ]
    if not waits:
        return []
    return ["the ranks would wait for each other for ever: " + ", ".join(waits)]
