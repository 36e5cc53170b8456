"""Random bits that are the same on every machine: SplitMix64 (Steele, Lea and Flood, 2014)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.compiling import part

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
SECOND_MULTIPLIER = np.uint64(0x94D049BB133111EB)


@part
def scrambled(state: np.uint64) -> np.uint64:
    """Give the 64 random bits that SplitMix64 makes of a state."""
    state = (state ^ (state >> np.uint64(30))) * FIRST_MULTIPLIER
    state = (state ^ (state >> np.uint64(27))) * SECOND_MULTIPLIER
    return state ^ (state >> np.uint64(31))


@part
def random_below(state: NDArray[np.uint64], bound: int) -> int:
    """Give the next random whole number from 0 to ``bound - 1``, where bound is under 2**31."""
    state[0] += GOLDEN
    bits = scrambled(state[0]) >> np.uint64(33)
    return int((np.int64(bits) * bound) >> 31)


def seeded(seed: int) -> NDArray[np.uint64]:
    """Give the state of a generator, shape (1,)."""
    return np.array([seed], dtype=np.uint64) * GOLDEN
