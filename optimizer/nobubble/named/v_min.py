"""V-Min: V placement in about a third of 1F1B's memory (arXiv 2405.15362, section 3)."""

from __future__ import annotations

from nobubble.named.building_block import building_block
from nobubble.order import Order
from nobubble.problem import Problem


def v_min(problem: Problem) -> Order:
    """Let microbatches go down the ranks and up without a wait, one slot a rank.

    So the time between F and B is as short as it can be. It holds (p + 4) // 3 microbatches of
    both chunks at most.

    Raises
    ------
    MethodError
        The placement is not V.
    """
    p = problem.ranks
    wait = 2 if p % 3 == 0 else 0  # So that no two ops fall into one slot.
    block = [(r, 2 * p - 1 - r, 2 * p + wait + r, 4 * p - 1 + wait - r) for r in range(p)]
    return building_block(problem, "v-min", block)
