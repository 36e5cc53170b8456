"""Blocks that are a little different from others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Final, TypeVar

from nobubble.solvers.blocks.block import Block

GRIDS: Final = (0, 1, 2, 3, 4, 5, 6, 7, 8, 10)
HOLDS: Final = (0, 2, 4, 8)
PACES: Final = (0, 0.9, 0.95, 1, 1.05, 1.1, 1.2)
STEPS: Final = (-1, -0.5, -0.25, 0.25, 0.5, 1)
"""By how much a wait changes, in mean times of an op."""

Item = TypeVar("Item")


def neighbour(block: Block, random: Random) -> Block:
    """Change a block in one thing, or in two."""
    for _ in range(1 + (random.randrange(3) == 0)):
        what = random.randrange(6)
        if what == 0:
            block = replace(block, grid=_one_of(GRIDS, random))
        elif what == 1:
            block = replace(block, capped=not block.capped)
        elif what == 2:
            block = replace(block, turn=max(0, block.turn + _one_of(STEPS, random)))
        elif what == 3:
            block = replace(block, hold_eighths=_one_of(HOLDS, random))
        elif what == 4:
            block = replace(block, pace=_one_of(PACES, random))
        else:
            waits = list(block.waits)
            which = random.randrange(4)
            waits[which] = max(0, waits[which] + _one_of(STEPS, random))
            block = replace(block, waits=(waits[0], waits[1], waits[2], waits[3]))
    return block


def _one_of(items: Sequence[Item], random: Random) -> Item:
    return items[random.randrange(len(items))]
