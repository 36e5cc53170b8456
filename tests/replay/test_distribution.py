"""Tests of the figures of a distribution."""

from __future__ import annotations

import statistics
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nobubble.replay.distribution import Distribution

SAMPLES = st.lists(st.integers(0, 10**16), min_size=1, max_size=50)


def test_percentiles_are_samples() -> None:
    """Tests that so many per cent of the samples are at or below each."""
    hundred = Distribution.of(np.arange(100, 0, -1))
    assert (hundred.min, hundred.p5, hundred.p50) == (1, 5, 50)
    assert (hundred.p95, hundred.p99, hundred.max) == (95, 99, 100)
    assert (hundred.mean, hundred.sd) == (51, 29)  # 50.5 and 29.01


def test_one_sample() -> None:
    """Tests that a single sample is its own distribution, without spread."""
    assert Distribution.of(np.array([7])) == Distribution(7, 0, 7, 7, 7, 7, 7, 7)


@given(SAMPLES)
def test_percentiles_ascend(samples: list[int]) -> None:
    """Tests that the figures are in order, from the least sample to the largest."""
    found = Distribution.of(np.array(samples))
    ascending = [found.min, found.p5, found.p50, found.p95, found.p99, found.max]
    assert ascending == sorted(ascending)
    assert (found.min, found.max) == (min(samples), max(samples))
    assert found.min <= found.mean <= found.max


@given(SAMPLES)
def test_mean_and_standard_deviation_are_exact(samples: list[int]) -> None:
    """Tests against Python's statistics, which calculates with fractions."""
    found = Distribution.of(np.array(samples))
    assert abs(found.mean - statistics.mean(map(Fraction, samples))) <= 0.5
    if len(samples) > 1:
        assert abs(found.sd - statistics.stdev(samples)) <= 1 + 1e-9 * found.sd
