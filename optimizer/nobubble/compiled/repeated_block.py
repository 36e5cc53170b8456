"""Repeat a building block of V placement, squeeze it, and reorder its two ends.

All of it in a grid of unit times: every rank runs one F, B or W of one chunk in a slot, or idles.
The way of a microbatch has four legs: F down the ranks, F up, B down, B up. W's are not told apart.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.compiling import kernel, part
from nobubble.problem import B, F, W

LEGS = 4
WEIGHT = 4
FREE = -1

WARM_UP = 0
STEADY = 1
COOL_DOWN = 2


@part
def _put_weights(grid: NDArray[np.int64]) -> None:
    """Put every W into the first free slot after a B."""
    for rank in range(len(grid)):
        pending = 0
        for slot in range(grid.shape[1]):
            if grid[rank, slot] >= 2:
                pending += 1
            elif grid[rank, slot] == FREE and pending > 0:
                grid[rank, slot] = WEIGHT
                pending -= 1


@part
def _peak(row: NDArray[np.int64], with_weights: bool, enough: int) -> int:
    """Give the most chunks that a rank holds, from F's slot to W's; stop above `enough`.

    Without W's in the row, they are thought into the first free slots.
    """
    held, peak, pending = 0, 0, 0
    for op in row:
        if op == FREE:
            if not with_weights and pending > 0:
                pending -= 1
                held -= 1
        elif op < 2:
            held += 1
            peak = max(peak, held)
            if peak > enough:
                break
        elif op == WEIGHT:
            held -= 1
        else:
            pending += 1
    return peak


@part
def _squeezed(grid: NDArray[np.int64], microbatches: int) -> NDArray[np.int64]:
    """Start every op of a grid as early as its rank's order and its inputs allow."""
    ranks, length = grid.shape
    result = np.full((ranks, length), FREE, np.int64)
    end = np.zeros((LEGS, ranks, microbatches), np.int64)
    done = np.zeros((LEGS, ranks), np.int64)
    clock = np.zeros(ranks, np.int64)
    for slot in range(length):
        for rank in range(ranks):
            op = grid[rank, slot]
            if op == FREE:
                continue
            start = clock[rank]
            if op < LEGS:
                j = done[op, rank]
                done[op, rank] += 1
                source = rank - 1 if op % 2 == 0 else rank + 1
                if 0 <= source < ranks:
                    start = max(start, end[op, source, j])
                if op > 0:
                    start = max(start, end[op - 1, rank, j])
                end[op, rank, j] = start + 1
            result[rank, start] = op
            clock[rank] = start + 1
    return result


@part
def _earliest(
    grid: NDArray[np.int64],
    rank: int,
    slot: int,
    slots: NDArray[np.int64],
    done: NDArray[np.int64],
) -> int:
    """Give the first slot in which the op at a slot would come after all that it depends on."""
    ranks = len(grid)
    op = grid[rank, slot]
    j = done[op, rank]
    earliest = 0
    if op < LEGS:
        source = rank - 1 if op % 2 == 0 else rank + 1
        if 0 <= source < ranks:
            earliest = max(earliest, slots[op, source, j] + 1)
        if op > 0:
            earliest = max(earliest, slots[op - 1, rank, j] + 1)
    else:
        backwards = -1
        for before in range(slot):
            if grid[rank, before] in (2, 3):
                backwards += 1
                if backwards == j:
                    earliest = before + 1
                    break
    if j > 0:
        earliest = max(earliest, slots[op, rank, j - 1] + 1)
    return earliest


@part
def _reorder(grid: NDArray[np.int64], microbatches: int, with_weights: bool) -> None:
    """Move ops of the warm-up and of the cool-down forward into free slots, slot after slot.

    Not where the rank would hold more at its peak than the one that holds most before. Without
    W's, only the cool-down changes.
    """
    ranks, length = grid.shape
    m = microbatches
    most = 0
    for rank in range(ranks):
        most = max(most, _peak(grid[rank], with_weights, 2 * m))
    slots = np.full((LEGS + 1, ranks, 2 * m), -1, np.int64)
    done = np.zeros((LEGS + 1, ranks), np.int64)
    phase = WARM_UP
    for slot in range(length):
        for rank in range(ranks):
            op = grid[rank, slot]
            if op == FREE:
                continue
            begins_steady = phase == WARM_UP and op == 3 and rank == 0
            if begins_steady:
                phase = STEADY
            stays = phase == STEADY or (phase == WARM_UP and not with_weights)
            if phase == STEADY and op == 0 and done[op, rank] == m - 1:
                phase = COOL_DOWN
            place = slot
            if not stays:
                for free in range(_earliest(grid, rank, slot, slots, done), slot):
                    if grid[rank, free] != FREE:
                        continue
                    grid[rank, slot] = FREE
                    grid[rank, free] = op
                    if _peak(grid[rank], with_weights, most) <= most:
                        place = free
                        break
                    grid[rank, free] = FREE
                    grid[rank, slot] = op
            slots[op, rank, done[op, rank]] = place
            done[op, rank] += 1


@part
def _without_weights(grid: NDArray[np.int64]) -> None:
    """Free the slots of all W's."""
    for rank in range(len(grid)):
        for slot in range(grid.shape[1]):
            if grid[rank, slot] == WEIGHT:
                grid[rank, slot] = FREE


@kernel("void(int64[:, ::1], int64, int64, int32[:, ::1])")
def repeat_block(
    block: NDArray[np.int64], interval: int, microbatches: int, letters: NDArray[np.int32]
) -> None:
    """Make a schedule of V placement from a building block.

    Parameters
    ----------
    block : ndarray of int64, shape (p, 4)
        The slot of every leg of the first microbatch, ascending; different on a rank modulo the
        interval.
    interval : int
        Slots between a microbatch and the next; at least 6.
    microbatches : int
    letters : ndarray of int32, shape (p, 6 * m), output
    """
    ranks, m = len(block), microbatches
    length = block.max() + 1 + interval * m + 2 * m
    grid = np.full((ranks, length), FREE, np.int64)
    for rank in range(ranks):
        for leg in range(LEGS):
            for j in range(m):
                grid[rank, block[rank, leg] + interval * j] = leg
    _put_weights(grid)
    _reorder(grid, m, True)
    grid = _squeezed(grid, m)
    _without_weights(grid)
    _reorder(grid, m, False)
    _put_weights(grid)
    grid = _squeezed(grid, m)
    _without_weights(grid)
    # Of the W's that wait, those of the stages further up the pipeline go first.
    for rank in range(ranks):
        up, down = 2 * ranks - 1 - rank, rank
        pending = np.zeros(2, np.int64)
        count = 0
        for slot in range(length):
            op = grid[rank, slot]
            if op == FREE:
                for which in range(2):
                    if pending[which] > 0:
                        pending[which] -= 1
                        stage = down if which else up
                        letters[rank, count] = 4 * stage + W
                        count += 1
                        break
                continue
            if op >= 2:
                pending[op - 2] += 1
            stage = down if op in (0, 3) else up
            letters[rank, count] = 4 * stage + (F if op < 2 else B)
            count += 1
