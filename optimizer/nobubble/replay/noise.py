"""How the times of a replay differ from those of the plan."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from nobubble.errors import InputError

LARGEST_NOISE: Final = 0.25
"""Deviations are up to 3.47 times the standard deviation: above 0.288 a time could be negative."""

LARGEST_SLOWDOWN: Final = 10.0


@dataclass(frozen=True, slots=True)
class Noise:
    """By what every op and every transfer is longer or shorter than planned.

    The time of an op is the planned one times a factor for the op, times a factor for its rank,
    times 1 + the slowdown of its rank; the latency of a transfer is the planned one times a factor
    for the transfer. The factors are independent, with mean 1 and the standard deviations given
    here; an op and a transfer have a new one every time, a rank has one for the whole iteration.
    Each is 1 + a sum of four uniform variables, scaled: a bell within 3.47 standard deviations,
    which takes no logarithm, whose last digit would differ from one machine to another. The
    products are rounded to whole nanoseconds.

    Attributes
    ----------
    op : float
        Relative standard deviation of every op and transfer, from 0 to LARGEST_NOISE: jitter.
    rank : float
        Relative standard deviation of a rank's speed from iteration to iteration, in that range:
        clocks, neighbours, and a profile that is not quite so.
    slow : mapping of int to float
        Ranks that are slower throughout, and by what part, from 0 to LARGEST_SLOWDOWN: stragglers.

    Raises
    ------
    InputError
        A number is out of its range.
    """

    op: float = 0.0
    rank: float = 0.0
    slow: Mapping[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for what, given, largest in (
            ("noise of ops", self.op, LARGEST_NOISE),
            ("noise of ranks", self.rank, LARGEST_NOISE),
            *(
                (f"slowdown of rank {rank}", slowdown, LARGEST_SLOWDOWN)
                for rank, slowdown in self.slow.items()
            ),
        ):
            if not (math.isfinite(given) and 0 <= given <= largest):
                raise InputError(f"{what}: {given} is not between 0 and {largest:g}")
