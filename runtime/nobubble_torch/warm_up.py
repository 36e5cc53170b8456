"""How far ranks may run ahead of the validation of the last step, and begin again if it fails."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from nobubble_torch.document import Action, Schedule


def warm_up(schedule: Schedule) -> list[int]:
    """Give how many actions of every rank make its warm-up.

    They are F's and their transfers: what can be thrown away and run again. The first backward
    needs the gradients cleared, which are kept until the last step is validated; and the last
    stage's F ends with a loss. What is sent in the warm-up is received in it, so that it can be
    run again without the rest.

    Returns
    -------
    list of int, shape (p,)
    """
    last = len(schedule.placement) - 1
    counts = [
        sum(1 for _ in takewhile(lambda action: _is_forward(action, last), row))
        for row in schedule.rows
    ]
    while True:
        shorter = [
            _matched(schedule.rows, counts, rank, count) for rank, count in enumerate(counts)
        ]
        if shorter == counts:
            return counts
        counts = shorter


def _is_forward(action: Action, last: int) -> bool:
    return action.op in ("F", "SEND_F", "RECV_F") and not (
        action.op == "F" and action.stage == last
    )


def _matched(rows: Sequence[Sequence[Action]], counts: Sequence[int], rank: int, count: int) -> int:
    """Give how many of a rank's first actions have their transfers' other ends in the warm-up."""
    for place, action in enumerate(rows[rank][:count]):
        if action.peer is None:
            continue
        other = Action("RECV_F", action.stage + 1, action.microbatch, rank)
        if action.op == "RECV_F":
            other = Action("SEND_F", action.stage - 1, action.microbatch, rank)
        if other not in rows[action.peer][: counts[action.peer]]:
            return place
    return count
