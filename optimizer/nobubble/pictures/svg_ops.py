"""The ops of a Gantt as SVG: each for itself, or the shares of their kinds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nobubble.pictures.layout import Layout, Row
from nobubble.pictures.palette import ink, shade
from nobubble.pictures.shares import shares_of
from nobubble.pictures.svg_elements import box, coarse_px, px

SLICE: Final = 2
"""The width of the slices that show shares, in pixels."""
DIGIT: Final = 0.58
"""The width of a digit in parts of the size of the font."""


@dataclass(frozen=True, slots=True)
class Geometry:
    """Where things are, in pixels.

    Attributes
    ----------
    left, top : float
        Of the rows.
    width : float
        Of the time axis.
    row, pitch : float
        The height of a row, and the distance from one to the next.
    scale : float
        Pixels for a nanosecond.
    end : int
        The time at the right end of the axis, in ns.
    """

    left: float
    top: float
    width: float
    row: float
    pitch: float
    scale: float
    end: int


def drawn(layout: Layout, place: Geometry) -> Iterator[str]:
    """Draw every op: one path for every kind and chunk, and the numbers that fit."""
    boxes: dict[tuple[int, int, int], list[str]] = {}
    labels: dict[str, list[str]] = {}
    size = min(10.0, place.row - 4)
    for at, row in enumerate(layout.rows):
        y = place.top + place.pitch * at
        for kind, chunk, count, x, width in _runs(row, place):
            key = (kind, chunk, len(row.stages))
            boxes.setdefault(key, []).append(box(x, y, width, place.row))
            if count >= 0 and width >= len(str(count)) * DIGIT * size + 1 and size >= 8:
                labels.setdefault(ink(shade(*key)), []).append(
                    f'<text x="{px(x + width / 2)}" y="{px(y + place.row / 2 + 0.36 * size)}">'
                    f"{count}</text>"
                )
    for key in sorted(boxes):
        yield f'<path d="{"".join(boxes[key])}" fill="{shade(*key)}"/>'
    for colour in sorted(labels):
        yield f'<g fill="{colour}" font-size="{px(size)}" text-anchor="middle">'
        yield from labels[colour]
        yield "</g>"


def _runs(row: Row, place: Geometry) -> Iterator[tuple[int, int, int, float, float]]:
    """Give kind, chunk, microbatch, left and width of what to draw.

    Ops that are too narrow to be told from their neighbours of the same kind and chunk are one
    run, whose microbatch is -1. Ops of no time are not drawn.
    """
    lasting = row.end > row.start
    kinds, chunks = row.kind[lasting].tolist(), row.chunk[lasting].tolist()
    numbers = row.microbatch[lasting].tolist()
    lefts = (place.left + row.start[lasting] * place.scale).tolist()
    rights = (place.left + row.end[lasting] * place.scale).tolist()
    at = 0
    while at < len(kinds):
        left, right, last = lefts[at], rights[at], at
        while (
            rights[last] - lefts[last] < 4
            and last + 1 < len(kinds)
            and kinds[last + 1] == kinds[at]
            and chunks[last + 1] == chunks[at]
            and lefts[last + 1] - right < 0.05
            and rights[last + 1] - lefts[last + 1] < 4
        ):
            last += 1
            right = rights[last]
        # A hair of ground between neighbours.
        seam = 0.6 if right - left >= 4 else 0.0
        yield kinds[at], chunks[at], numbers[at] if last == at else -1, left, right - left - seam
        at = last + 1


def sliced(layout: Layout, place: Geometry) -> Iterator[str]:
    """Draw the shares of the kinds in slices of the iteration, stacked from the ground of a row."""
    slices = max(1, round(place.width / SLICE))
    paths: dict[int, list[str]] = {kind: [] for kind in layout.kinds}
    for at, row in enumerate(layout.rows):
        ground = place.top + place.pitch * at + place.row
        shares = shares_of(row, np.linspace(0, place.end, slices + 1))
        for kind in layout.kinds:
            height = shares[:, kind:].sum(axis=1) * place.row
            paths[kind].append(_skyline(place.left, ground, place.width / slices, height))
    # The stack's lower kinds cover the upper ones: F stands in front at the ground.
    for kind in layout.kinds:
        yield f'<path d="{"".join(paths[kind])}" fill="{shade(kind, 0, 1)}"/>'


def _skyline(left: float, ground: float, step: float, height: NDArray[np.float64]) -> str:
    """Give the outline of bars that stand side by side."""
    tops = [coarse_px(ground - one) for one in height.tolist()]
    pieces = [f"M{px(left)} {coarse_px(ground)}"]
    before = ""
    for number, top in enumerate(tops):
        if top != before:
            pieces.append((f"H{coarse_px(left + step * number)}" if number else "") + f"V{top}")
            before = top
    pieces.append(f"H{coarse_px(left + step * len(tops))}V{coarse_px(ground)}Z")
    return "".join(pieces)
