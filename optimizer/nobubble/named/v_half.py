"""V-Half: V placement in about half of 1F1B's memory (arXiv 2405.15362, section 3)."""

from __future__ import annotations

from nobubble.named.building_block import building_block
from nobubble.order import Order
from nobubble.problem import Problem


def v_half(problem: Problem) -> Order:
    """Let microbatches go down the ranks in two slots a rank, and up in one.

    So the time between F and B, over both chunks, is the same on every rank. It holds
    (p + 2) // 2 microbatches of both chunks at most.

    Raises
    ------
    MethodError
        The placement is not V.
    """
    p = problem.ranks
    wait = 3 if p % 2 == 0 else 0  # So that no two ops fall into one slot.
    block = [
        (2 * r, 3 * p - 2 - r, 3 * p - 1 + wait + 2 * r, 6 * p - 2 + wait - r) for r in range(p)
    ]
    return building_block(problem, "v-half", block)
