"""1F1B, the schedule of PipeDream-Flush (Narayanan et al., arXiv 2006.09503)."""

from __future__ import annotations

from nobubble.named.placements import require_linear
from nobubble.order import Order, letter
from nobubble.problem import BW, F, Problem


def one_f_one_b(problem: Problem) -> Order:
    """Run min(m, p - 1 - r) F's on rank r, then F and BW in turn, then the BW's that are left.

    Raises
    ------
    MethodError
        The placement is not linear.
    """
    require_linear(problem, "1f1b")
    m = problem.microbatches
    rows = []
    for rank in range(problem.ranks):
        warm_up = min(m, problem.ranks - 1 - rank)
        forward, backward = [letter(rank, F)], [letter(rank, BW)]
        rows.append(forward * warm_up + (forward + backward) * (m - warm_up) + backward * warm_up)
    return Order.of(rows)
