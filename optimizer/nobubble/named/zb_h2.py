"""ZB-H2: split backward in twice the memory of 1F1B (arXiv 2401.10241, section 2.3)."""

from __future__ import annotations

from nobubble.named.handcrafted import handcrafted
from nobubble.named.placements import require_linear
from nobubble.order import Order
from nobubble.problem import Problem


def zb_h2(problem: Problem) -> Order:
    """Run 2(p - r) - 1 F's on rank r, then B, W and F in turn; W lags 2r microbatches behind B.

    Raises
    ------
    MethodError
        The placement is not linear.
    """
    require_linear(problem, "zb-h2")
    return handcrafted(
        problem,
        warm_up=lambda rank: 2 * (problem.ranks - rank) - 1,
        lag=lambda rank: 2 * rank,
    )
