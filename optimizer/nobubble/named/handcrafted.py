"""What ZB-H1 and ZB-H2 have in common."""

from __future__ import annotations

from collections.abc import Callable

from nobubble.order import Order, letter
from nobubble.problem import B, F, Problem, W


def handcrafted(
    problem: Problem, warm_up: Callable[[int], int], lag: Callable[[int], int]
) -> Order:
    """Run F's of a warm-up, then B, a lagging W and the next F in turn, then the W's that are left.

    Parameters
    ----------
    problem : Problem
        Of linear placement.
    warm_up, lag : callable
        Of a rank: how many F's come before its first B, and by how many microbatches W lags
        behind B.
    """
    m = problem.microbatches
    rows = []
    for rank in range(problem.ranks):
        forward, backward, weight = (letter(rank, kind) for kind in (F, B, W))
        ahead = min(m, warm_up(rank))
        row = [forward] * ahead
        for j in range(m):
            row.append(backward)
            if j >= lag(rank):
                row.append(weight)
            if ahead + j < m:
                row.append(forward)
        row += [weight] * min(m, lag(rank))
        rows.append(row)
    return Order.of(rows)
