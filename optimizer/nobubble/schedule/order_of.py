"""From a schedule document back to the order that it was made from."""

from __future__ import annotations

from nobubble.order import Order, letter
from nobubble.problem import KINDS
from nobubble.schedule.document import ScheduleDocument

_KIND_OF = {name: kind for kind, name in enumerate(KINDS)}


def order_of(document: ScheduleDocument) -> Order:
    """Read the order of ops from the actions of a document.

    Parameters
    ----------
    document : ScheduleDocument
        Verified: every op is there once, and the microbatches of a stage ascend within a kind, so
        that an op's letter says which it is.
    """
    return Order.of(
        [
            letter(action["stage"], _KIND_OF[action["op"]])
            for action in rank["actions"]
            if action["op"] in _KIND_OF
        ]
        for rank in document["ranks"]
    )
