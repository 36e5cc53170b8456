"""Tests of the colours."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from nobubble.pictures.palette import HUES, ink, luminance, rgb, shade


def contrast(one: str, other: str) -> float:
    """Give the contrast ratio of WCAG 2."""
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("kind", range(4))
@pytest.mark.parametrize("chunks", [1, 2, 3, 8])
def test_numbers_are_legible(kind: int, chunks: int) -> None:
    """Tests that text on every shade has the contrast that WCAG 2 asks for (AA: 4.5)."""
    for chunk in range(chunks):
        colour = shade(kind, chunk, chunks)
        assert contrast(colour, ink(colour)) >= 4.5


SEEN = {
    "full": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [[0.152, 1.053, -0.205], [0.115, 0.786, 0.099], [-0.004, -0.048, 1.052]],
    "deuteranopia": [[0.367, 0.861, -0.228], [0.280, 0.673, 0.047], [-0.012, 0.043, 0.969]],
    "tritanopia": [[1.256, -0.077, -0.179], [-0.078, 0.931, 0.148], [0.005, 0.691, 0.304]],
}
"""Linear RGB as it is seen (Machado, Oliveira and Fernandes 2009, severity 1)."""


def lab(colour: str, vision: str) -> NDArray[np.float64]:
    """Give a colour as it is seen in CIELAB."""
    value = np.array(rgb(colour)) / 255
    linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(SEEN[vision]) @ linear, 0, 1)
    to_xyz = np.array(
        [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    )
    x, y, z = np.cbrt(to_xyz @ seen / np.array([0.95047, 1, 1.08883]))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("vision", SEEN)
def test_kinds_are_apart_for_every_eye(vision: str) -> None:
    """Tests that any two kinds are far apart in CIELAB, with every colour blindness."""
    for one, other in combinations(HUES, 2):
        assert np.linalg.norm(lab(one, vision) - lab(other, vision)) > 25
