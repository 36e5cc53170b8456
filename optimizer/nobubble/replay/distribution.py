"""The distribution of a cost over samples, in whole nanoseconds."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Distribution:
    """What samples say of a time, in ns.

    Attributes
    ----------
    mean, sd : int
        Mean and standard deviation (of all iterations, as the samples show it), rounded.
    p5, p50, p95, p99 : int
        Percentiles: the least sample that so many per cent of all do not exceed.
    min, max : int
    """

    mean: int
    sd: int
    min: int
    p5: int
    p50: int
    p95: int
    p99: int
    max: int

    @classmethod
    def of(cls, samples: NDArray[np.int64]) -> Distribution:
        """Describe samples, shape (N,), N at least 1. The sums are exact."""
        values: list[int] = np.sort(samples).tolist()
        n, total = len(values), sum(values)
        spread = n * sum(value * value for value in values) - total * total
        return cls(
            mean=_rounded(total, n),
            sd=isqrt(_rounded(spread, n * max(n - 1, 1))),
            min=values[0],
            p5=_percentile(values, 5),
            p50=_percentile(values, 50),
            p95=_percentile(values, 95),
            p99=_percentile(values, 99),
            max=values[-1],
        )


def _percentile(ascending: list[int], percent: int) -> int:
    return ascending[-(-percent * len(ascending) // 100) - 1]


def _rounded(numerator: int, denominator: int) -> int:
    """Divide, rounding a half up."""
    return (2 * numerator + denominator) // (2 * denominator)
