"""A binary heap in two arrays, lowest key first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.compiling import part


@part
def push(items: NDArray[np.int64], keys: NDArray[np.int64], size: int, item: int, key: int) -> int:
    """Add an item; give the new size."""
    place = size
    while place > 0:
        above = (place - 1) >> 1
        if keys[above] <= key:
            break
        items[place] = items[above]
        keys[place] = keys[above]
        place = above
    items[place] = item
    keys[place] = key
    return size + 1


@part
def drop_first(items: NDArray[np.int64], keys: NDArray[np.int64], size: int) -> int:
    """Remove the first item, ``items[0]``; give the new size."""
    size -= 1
    item, key = items[size], keys[size]
    place = 0
    while True:
        below = 2 * place + 1
        if below >= size:
            break
        if below + 1 < size and keys[below + 1] < keys[below]:
            below += 1
        if keys[below] >= key:
            break
        items[place] = items[below]
        keys[place] = keys[below]
        place = below
    items[place] = item
    keys[place] = key
    return size
