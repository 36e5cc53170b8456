"""What V-Half and V-Min have in common."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.repeated_block import repeat_block
from nobubble.named.placements import require_v
from nobubble.order import Order
from nobubble.problem import Problem

INTERVAL = 6
"""Slots between microbatches: F, B and W of two chunks."""


def building_block(
    problem: Problem, schedule: str, block: list[tuple[int, int, int, int]]
) -> Order:
    """Repeat a building block every six slots, squeeze it, and reorder its two ends.

    Parameters
    ----------
    problem : Problem
    schedule : str
        Its name, for messages.
    block : list of tuple of int
        For every rank the slots in which the first microbatch runs F of the rank's lower stage, F
        of its upper stage, B of its upper stage and B of its lower stage, in slots of unit time.

    Raises
    ------
    MethodError
        The placement is not V.
    """
    require_v(problem, schedule)
    slots: NDArray[np.int64] = np.array(block, dtype=np.int64)
    letters = np.empty((problem.ranks, 6 * problem.microbatches), dtype=np.int32)
    repeat_block(slots, INTERVAL, problem.microbatches, letters)
    return Order.of(letters)
