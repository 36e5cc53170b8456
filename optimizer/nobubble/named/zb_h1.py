"""ZB-H1: split backward in the memory of 1F1B (arXiv 2401.10241, section 2.2)."""

from __future__ import annotations

from nobubble.named.handcrafted import handcrafted
from nobubble.named.placements import require_linear
from nobubble.order import Order
from nobubble.problem import Problem


def zb_h1(problem: Problem) -> Order:
    """Run p - r F's on rank r, then B, W and F in turn, where W lags r microbatches behind B.

    Raises
    ------
    MethodError
        The placement is not linear.
    """
    require_linear(problem, "zb-h1")
    return handcrafted(problem, warm_up=lambda rank: problem.ranks - rank, lag=lambda rank: rank)
