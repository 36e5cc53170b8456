"""Faults that PyTorch 2.13 lets pass, put into a good document.

Each was seen to hang, to fail in the middle of a step, or to give wrong losses or gradients.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Document = dict[str, Any]


def row(document: Document, rank: int) -> list[Document]:
    actions: list[Document] = document["ranks"][rank]["actions"]
    return actions


def places(document: Document, rank: int, op: str) -> list[int]:
    return [n for n, action in enumerate(row(document, rank)) if action["op"] == op]


def swap_last_forwards(document: Document) -> None:
    """Losses are a list by position: PyTorch takes those of other microbatches."""
    last = len(document["placement"]) - 1
    for action in row(document, document["placement"][last]):
        if action["stage"] == last and action["op"] in ("F", "B", "W"):
            action["microbatch"] = {0: 1, 1: 0}.get(action["microbatch"], action["microbatch"])


def swap_receives(document: Document) -> None:
    """Messages have no tags: what is received first is what was sent first."""
    actions = row(document, 1)
    first, second = places(document, 1, "RECV_F")[:2]
    actions.insert(first, actions.pop(second))


def defer_receives(document: Document) -> None:
    """Every receive directly before the op that needs it, as defer_pp_recv does."""
    for its in document["ranks"]:
        deferred: dict[tuple[str, int, int], Document] = {}
        actions: list[Document] = []
        for action in its["actions"]:
            at = action["stage"], action["microbatch"]
            if action["op"].startswith("RECV"):
                deferred[action["op"][-1], *at] = action
                continue
            needed = deferred.pop((action["op"][0], *at), None)
            actions += [needed, action] if needed else [action]
        its["actions"] = actions


def receive_too_early(document: Document) -> None:
    """Rank 0 waits for what comes round to it, before it has sent anything off."""
    actions = row(document, 0)
    actions.insert(0, actions.pop(places(document, 0, "RECV_F")[0]))


def run_twice(document: Document) -> None:
    actions = row(document, 2)
    actions.insert(0, dict(actions[places(document, 2, "F")[0]]))


def drop(op: str, rank: int) -> Callable[[Document], None]:
    def change(document: Document) -> None:
        del row(document, rank)[places(document, rank, op)[-1]]

    return change


def both_backwards(document: Document) -> None:
    actions = row(document, 2)
    place = places(document, 2, "B")[0]
    actions.insert(place + 1, {**actions[place], "op": "BW"})


def wrong_peer(document: Document) -> None:
    row(document, 1)[places(document, 1, "SEND_F")[0]]["peer"] = 3


def other_placement(document: Document) -> None:
    document["placement"][1], document["placement"][2] = 2, 1


def backward_before_forward(document: Document) -> None:
    actions = row(document, 1)
    place = places(document, 1, "B")[0]
    actions.insert(0, actions.pop(place))


def weights_before_inputs(document: Document) -> None:
    actions = row(document, 1)
    actions.insert(0, actions.pop(places(document, 1, "W")[0]))


def send_before_forward(document: Document) -> None:
    actions = row(document, 0)
    actions.insert(0, actions.pop(places(document, 0, "SEND_F")[0]))


def late_receive(document: Document) -> None:
    actions = row(document, 2)
    actions.append(actions.pop(places(document, 2, "RECV_F")[0]))


def more_microbatches(document: Document) -> None:
    document["profile"]["microbatches"] += 1


def circle_of_waiting(document: Document) -> None:
    """The two ranks of pytorch/pytorch#172668: each sends first, and waits for the other."""
    document["placement"] = [0, 1, 0]
    document["profile"]["microbatches"] = 2
    forward = [{"op": "F", "stage": s, "microbatch": j} for s in range(3) for j in range(2)]
    ops = {(a["stage"], a["microbatch"]): a for a in forward}
    full = {(s, j): {"op": "BW", "stage": s, "microbatch": j} for s, j in ops}

    def move(op: str, stage: int, j: int, peer: int) -> Document:
        return {"op": op, "stage": stage, "microbatch": j, "peer": peer}

    document["ranks"] = [
        {
            "rank": 0,
            "actions": [
                *(ops[0, 0], move("SEND_F", 0, 0, 1), ops[0, 1], move("SEND_F", 0, 1, 1)),
                *(move("RECV_F", 2, 0, 1), ops[2, 0], full[2, 0], move("SEND_B", 2, 0, 1)),
                *(move("RECV_F", 2, 1, 1), ops[2, 1], full[2, 1], move("SEND_B", 2, 1, 1)),
                *(move("RECV_B", 0, 0, 1), full[0, 0], move("RECV_B", 0, 1, 1), full[0, 1]),
            ],
        },
        {
            "rank": 1,
            "actions": [
                *(move("RECV_F", 1, 0, 0), ops[1, 0], move("SEND_F", 1, 0, 0)),
                *(move("RECV_F", 1, 1, 0), ops[1, 1], move("SEND_F", 1, 1, 0)),
                *(move("RECV_B", 1, 0, 0), full[1, 0], move("SEND_B", 1, 0, 0)),
                *(move("RECV_B", 1, 1, 0), full[1, 1], move("SEND_B", 1, 1, 0)),
            ],
        },
    ]
