"""Schedules with a name and a fixed definition: one small file each.

To add one: write its file, list it here, and add its name in `nobubble.methods`.
"""

from collections.abc import Callable
from typing import Final

from nobubble.named.gpipe import gpipe
from nobubble.named.interleaved_1f1b import interleaved_1f1b
from nobubble.named.one_f_one_b import one_f_one_b
from nobubble.named.v_half import v_half
from nobubble.named.v_min import v_min
from nobubble.named.zb_h1 import zb_h1
from nobubble.named.zb_h2 import zb_h2
from nobubble.named.zb_v import zb_v
from nobubble.order import Order
from nobubble.problem import Problem

__all__ = ["NAMED_ORDERS", "named_order"]

NAMED_ORDERS: Final[dict[str, Callable[[Problem], Order]]] = {
    "gpipe": gpipe,
    "1f1b": one_f_one_b,
    "interleaved-1f1b": interleaved_1f1b,
    "zb-h1": zb_h1,
    "zb-h2": zb_h2,
    "zb-v": zb_v,
    "v-half": v_half,
    "v-min": v_min,
}
"""The order of every named schedule; MethodError where it is not made for the placement."""


def named_order(problem: Problem, name: str) -> Order:
    """Give the order of a schedule by its name, with a group size or without.

    Raises
    ------
    MethodError
        It is not made for the placement.
    """
    base, _, group = name.partition(":")
    return interleaved_1f1b(problem, int(group)) if group else NAMED_ORDERS[base](problem)
