"""Which rank comes first in time: a knock-out tournament in an array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.compiling import part

NEVER = 2**62


@part
def new_ranking(ranks: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the times (all NEVER) and the tree of a tournament among ranks.

    Returns
    -------
    times : ndarray of int64, shape (size,)
        size is p rounded up to a power of two.
    tree : ndarray of int64, shape (2 * size,)
        ``tree[1]`` is the winner of all; ``tree[size:]`` are the ranks themselves.
    """
    size = 1
    while size < ranks:
        size *= 2
    tree = np.zeros(2 * size, np.int64)
    tree[size:] = np.arange(size)
    for node in range(size - 1, 0, -1):
        tree[node] = tree[2 * node]
    return np.full(size, NEVER, np.int64), tree


@part
def set_time(times: NDArray[np.int64], tree: NDArray[np.int64], rank: int, time: int) -> None:
    """Set a rank's time and replay its matches; the lower rank wins among equal times."""
    times[rank] = time
    node = (len(times) + rank) >> 1
    while node > 0:
        left, right = tree[2 * node], tree[2 * node + 1]
        tree[node] = left if times[left] <= times[right] else right
        node >>= 1


@part
def earliest(tree: NDArray[np.int64]) -> int:
    """Give the rank with the earliest time."""
    return int(tree[1])
