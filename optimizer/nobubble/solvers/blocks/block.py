"""How a building block is made, and the blocks that are tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Block:
    """How a building block is made, and unrolled.

    Attributes
    ----------
    grid : int
        The mean time of an op in the grid that times are rounded to; 0 for the times as they are.
    waits : tuple of float
        How much later than it could each F comes on a rank's first stage, each F on its other
        stages, each backward on its first stage, and each on its others; in mean times of an op.
    turn : float
        How much later than it could the first backward comes, likewise.
    capped : bool
        Whether no more microbatches may be in flight on a stage than in the block.
    hold_eighths : int
        See `nobubble.compiled.list_scheduling.list_schedule`.
    pace : float
        The interval, in the shortest that memory allows; 0 for the work of the busiest rank.
    """

    grid: int
    waits: tuple[float, float, float, float]
    turn: float
    capped: bool
    hold_eighths: int
    pace: float


# Chosen from 11,664 by how much each added to the best of the others, of named schedules and of
# lists, on 210 instances of 3 to 16 ranks: V, interleaved and other placements, both objectives,
# limits from a quarter to twice 1F1B's memory and none.
BLOCKS: Final = (
    Block(0, (0, 2, 0, 0), 1, True, 0, 1),
    Block(5, (1, 2, 2, 2), 0, True, 0, 1),
    Block(5, (2, 2, 1, 2), 0, False, 0, 0),
    Block(6, (2, 1, 1, 1), 0, True, 8, 1),
    Block(6, (2, 1, 2, 2), 0, False, 8, 0),
    Block(0, (2, 2, 2, 2), 1, True, 8, 1),
    Block(3, (0, 2, 0, 2), 1, True, 0, 1),
    Block(1, (0, 1, 0, 2), 1, False, 0, 1),
    Block(0, (2, 2, 2, 1), 0, False, 8, 0),
    Block(1, (0, 2, 0, 1), 1, True, 0, 1),
    Block(4, (1, 1, 1, 1), 1, True, 8, 1),
    Block(5, (2, 1, 0, 1), 1, True, 0, 1),
    Block(0, (2, 2, 2, 2), 0, True, 0, 1),
    Block(1, (1, 2, 2, 2), 0, False, 0, 0),
    Block(5, (2, 0, 0, 1), 1, False, 0, 1),
    Block(1, (0, 0, 0, 2), 1, True, 8, 1),
    Block(1, (2, 2, 2, 2), 0, True, 0, 1),
    Block(0, (2, 1, 2, 1), 0, False, 8, 0),
    Block(4, (0, 1, 0, 2), 0, True, 0, 1),
    Block(0, (0, 1, 0, 0), 1, True, 0, 1),
    Block(4, (0, 1, 2, 1), 1, True, 8, 1),
    Block(0, (0, 2, 2, 1), 1, True, 8, 1),
    Block(5, (0, 0, 1, 2), 0, True, 0, 1),
    Block(6, (2, 2, 2, 2), 0, True, 8, 1),
    Block(6, (1, 2, 2, 2), 1, True, 8, 1),
    Block(0, (1, 0, 0, 1), 0, False, 8, 1),
    Block(0, (1, 2, 0, 1), 0, False, 0, 0),
    Block(6, (1, 1, 1, 1), 1, False, 8, 1),
    Block(0, (0, 1, 2, 0), 1, True, 8, 1),
    Block(6, (0, 0, 0, 0), 1, True, 0, 1),
    Block(4, (1, 0, 0, 0), 0, True, 0, 1),
    Block(4, (0, 1, 1, 1), 0, True, 0, 1),
    Block(4, (0, 0, 1, 0), 0, False, 0, 0),
    Block(1, (0, 2, 1, 1), 1, False, 0, 1),
    Block(1, (0, 1, 1, 0), 0, True, 0, 1),
    Block(5, (2, 2, 1, 0), 1, False, 0, 0),
    Block(0, (2, 1, 0, 2), 1, True, 0, 0),
    Block(3, (0, 1, 0, 2), 0, True, 0, 1),
    Block(5, (2, 2, 0, 2), 1, True, 0, 1),
    Block(5, (1, 2, 1, 1), 1, True, 8, 1),
    Block(0, (1, 2, 2, 1), 0, False, 8, 1),
    Block(0, (1, 2, 2, 1), 1, True, 8, 1),
    Block(3, (1, 2, 2, 1), 1, True, 0, 1),
    Block(4, (0, 0, 1, 2), 0, True, 0, 1),
    Block(0, (1, 1, 0, 1), 0, True, 8, 0),
    Block(1, (2, 2, 2, 2), 0, False, 0, 0),
    Block(0, (2, 0, 2, 2), 1, False, 0, 0),
    Block(1, (0, 2, 0, 0), 1, True, 0, 1),
    Block(3, (0, 0, 0, 1), 0, True, 0, 1),
    Block(4, (1, 2, 1, 2), 1, False, 8, 1),
    Block(0, (0, 1, 2, 2), 0, True, 0, 1),
    Block(1, (0, 1, 2, 0), 0, True, 8, 1),
)
"""The blocks that are tried, the most useful first."""
