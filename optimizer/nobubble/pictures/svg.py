"""A schedule as a standalone SVG: the Gantt, its figures, an axis and a legend.

The picture carries its own light ground, so that it reads the same on a dark page, and neither ids
nor style sheets, so that several can stand in one page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nobubble.pictures import figures as words
from nobubble.pictures.layout import Layout, Row, lay_out
from nobubble.pictures.palette import MEANINGS, ink, shade
from nobubble.pictures.shares import shares_of
from nobubble.problem import KINDS
from nobubble.schedule.document import ScheduleDocument

FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif"
INK, MUTED, RULE, TRACK, ALARM = "#14181f", "#5b6472", "#d9dee6", "#eceff4", "#b3261e"
MARGIN: Final = 28
NARROWEST: Final = 1.2
"""Where ops are narrower on average, slices of the iteration are drawn instead, in pixels."""
SLICE: Final = 2
"""The width of such a slice, in pixels."""
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
    """

    left: float
    top: float
    width: float
    row: float
    pitch: float
    scale: float


def svg(document: ScheduleDocument) -> str:
    """Draw a verified schedule as SVG.

    Every op is drawn, with its microbatch where the number fits. Where ops are too narrow to be
    seen, the shares of the kinds in thin slices of the iteration are drawn, and the picture says so.
    """
    layout = lay_out(document)
    figures = words.figures(document, layout)
    requirement = words.requirement(document)
    place = _geometry(layout, MARGIN + (164 if requirement else 140))
    bottom = place.top + place.pitch * len(layout.rows)
    width = place.left + place.width + (214 if layout.has_memory else 96) + MARGIN
    in_slices = 0 < layout.mean_time * place.scale < NARROWEST
    ops = list(_sliced(layout, place) if in_slices else _drawn(layout, place))
    if in_slices:
        remark = f"too many ops to draw each: every column of {SLICE} px shows the share of each kind"
    else:
        remark = "number: microbatch" if ops and ops[-1] == "</g>" else ""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(width)}" height="{_n(bottom + 84)}" '
        f'viewBox="0 0 {_n(width)} {_n(bottom + 84)}" role="img" font-family="{FONT}" '
        f'font-size="13" fill="{INK}">',
        f"<title>{_text(words.title(document))}</title>",
        f"<desc>{_text(_description(document, figures))}</desc>",
        f'<rect width="100%" height="100%" rx="10" fill="#ffffff"/>',
        *_heading(document, figures, requirement, width),
        *_axis(document, layout, place, bottom),
        *_tracks(layout, place),
        *ops,
        *_bound(document, place, bottom),
        *_margins(document, layout, place),
        *_legend(layout, place, bottom + 56, remark, 1 if in_slices else layout.chunks),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _geometry(layout: Layout, top: float) -> Geometry:
    ranks = len(layout.rows)
    row, gap = (26, 6) if ranks <= 16 else (16, 4) if ranks <= 40 else (9, 2)
    end = max(layout.end, 1)
    # Room for two digits in an op of mean time, as far as a page is wide.
    width = min(max(18 * end / max(layout.mean_time, 1), 860), 1560)
    return Geometry(MARGIN + 84, top + 12, width, row, row + gap, width / end)


def _heading(
    document: ScheduleDocument,
    figures: tuple[words.Figure, ...],
    requirement: str,
    width: float,
) -> Iterator[str]:
    yield (
        f'<text x="{MARGIN}" y="{MARGIN + 18}" font-size="21" font-weight="650">'
        f"{_text(_shortened(words.title(document), (width - 2 * MARGIN) / 12.5))}</text>"
    )
    yield _label(MARGIN, MARGIN + 40, words.shape(document), fill=MUTED)
    step = (width - 2 * MARGIN) / len(figures)
    for number, figure in enumerate(figures):
        x = MARGIN + step * number
        yield _label(x, MARGIN + 74, figure.label, size=11, fill=MUTED)
        room = (step - 8) / 8.6
        yield (
            f'<text x="{_n(x)}" y="{MARGIN + 93}" font-size="16" font-weight="600">'
            f"{_text(_shortened(_micro(figure.value), room))}</text>"
        )
        if figure.note:
            note = _shortened(figure.note, (step - 8) / 6)
            yield _label(x, MARGIN + 109, note, size=11, fill=MUTED)
    if requirement:
        yield _label(MARGIN, MARGIN + 134, requirement, size=12, fill=MUTED)


def _axis(
    document: ScheduleDocument, layout: Layout, place: Geometry, bottom: float
) -> Iterator[str]:
    unit = words.time_unit(document, layout)
    for tick in words.ticks(layout.end / unit.size, int(place.width / 90)):
        x = place.left + tick * unit.size * place.scale
        yield (
            f'<path d="M{_n(x)} {_n(place.top - 6)}V{_n(bottom + 4)}" stroke="{RULE}" fill="none"/>'
        )
        name = words.plain(tick, 7)
        yield _label(x, bottom + 19, name, size=11, fill=MUTED, anchor="middle")
    yield _label(place.left - 14, bottom + 19, _micro(unit.name), size=11, fill=MUTED, anchor="end")


def _tracks(layout: Layout, place: Geometry) -> Iterator[str]:
    path = "".join(
        _box(place.left, place.top + place.pitch * at, place.width, place.row)
        for at in range(len(layout.rows))
    )
    yield f'<path d="{path}" fill="{TRACK}"/>'


def _drawn(layout: Layout, place: Geometry) -> Iterator[str]:
    """Draw every op: one path for every kind and chunk, and the numbers that fit."""
    boxes: dict[tuple[int, int, int], list[str]] = {}
    labels: dict[str, list[str]] = {}
    size = min(10.0, place.row - 4)
    for at, row in enumerate(layout.rows):
        y = place.top + place.pitch * at
        for kind, chunk, count, x, width in _runs(row, place):
            key = (kind, chunk, len(row.stages))
            boxes.setdefault(key, []).append(_box(x, y, width, place.row))
            if count >= 0 and width >= len(str(count)) * DIGIT * size + 1 and size >= 8:
                labels.setdefault(ink(shade(*key)), []).append(
                    f'<text x="{_n(x + width / 2)}" y="{_n(y + place.row / 2 + 0.36 * size)}">'
                    f"{count}</text>"
                )
    for key in sorted(boxes):
        yield f'<path d="{"".join(boxes[key])}" fill="{shade(*key)}"/>'
    for colour in sorted(labels):
        yield f'<g fill="{colour}" font-size="{_n(size)}" text-anchor="middle">'
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


def _sliced(layout: Layout, place: Geometry) -> Iterator[str]:
    """Draw the shares of the kinds in slices of the iteration, stacked from the ground of a row."""
    slices = max(1, round(place.width / SLICE))
    paths: dict[int, list[str]] = {kind: [] for kind in layout.kinds}
    for at, row in enumerate(layout.rows):
        ground = place.top + place.pitch * at + place.row
        shares = shares_of(row, np.linspace(0, layout.end, slices + 1))
        for kind in layout.kinds:
            height = shares[:, kind:].sum(axis=1) * place.row
            paths[kind].append(_skyline(place.left, ground, place.width / slices, height))
    # The stack's lower kinds cover the upper ones: F stands in front at the ground.
    for kind in layout.kinds:
        yield f'<path d="{"".join(paths[kind])}" fill="{shade(kind, 0, 1)}"/>'


def _skyline(left: float, ground: float, step: float, height: NDArray[np.float64]) -> str:
    """Give the outline of bars that stand side by side."""
    tops = [_n1(ground - one) for one in height.tolist()]
    pieces = [f"M{_n(left)} {_n1(ground)}"]
    before = ""
    for number, top in enumerate(tops):
        if top != before:
            pieces.append((f"H{_n1(left + step * number)}" if number else "") + f"V{top}")
            before = top
    pieces.append(f"H{_n1(left + step * len(tops))}V{_n1(ground)}Z")
    return "".join(pieces)


def _bound(document: ScheduleDocument, place: Geometry, bottom: float) -> Iterator[str]:
    """Mark where a schedule at the lower bound would end."""
    if document["objective"] != "makespan" or document["gap"] == 0:
        return
    part = float(document["lower_bound"]) / float(document["cost"])
    x = place.left + place.width * part
    yield (
        f'<path d="M{_n(x)} {_n(place.top - 8)}V{_n(bottom)}" stroke="{ALARM}" '
        'stroke-width="1.4" stroke-dasharray="5 4" fill="none"/>'
    )
    yield _label(x, place.top - 12, "lower bound", size=11, fill=ALARM, anchor="middle")


def _margins(document: ScheduleDocument, layout: Layout, place: Geometry) -> Iterator[str]:
    """Name the ranks on the left, and give their busy time and peak memory on the right."""
    memory = words.memory_unit(document, layout)
    size = min(12.0, place.row)
    right = place.left + place.width
    head = place.top - 12
    yield _label(right + 70, head, "busy", size=11, fill=MUTED, anchor="end")
    if layout.has_memory:
        yield _label(right + 88, head, f"peak memory, {memory.name}", size=11, fill=MUTED)
    for at, row in enumerate(layout.rows):
        y = place.top + place.pitch * at + place.row / 2 + 0.36 * size
        yield _label(place.left - 14, y, f"rank {row.rank}", size=size, anchor="end")
        busy = words.percent(row.busy / layout.end if layout.end else 0)
        yield _label(right + 70, y, busy, size=size, anchor="end")
        if layout.has_memory:
            peak = words.plain(row.peak_memory / memory.size, 4)
            if row.memory_limit is not None:
                peak += f" of {words.plain(row.memory_limit / memory.size, 4)}"
            colour = ALARM if row.over_limit else INK
            yield _label(right + 88, y, peak, size=size, fill=colour)


def _legend(
    layout: Layout, place: Geometry, y: float, remark: str, shades: int
) -> Iterator[str]:
    x = place.left
    shown = min(shades, 4)
    for kind in layout.kinds:
        for chunk in range(shown):
            yield _swatch(x, y, shade(kind, chunk, shown))
            x += 14
        name = f"{KINDS[kind]} {MEANINGS[kind]}"
        yield _label(x + 7, y, name, size=12)
        x += 7 * len(name) + 21
    yield _swatch(x, y, TRACK)
    yield _label(x + 21, y, "idle", size=12)
    remarks = ["lighter: later stages of the rank"] * (shades > 1) + [remark] * bool(remark)
    if remarks:
        yield _label(x + 66, y, "; ".join(remarks), size=12, fill=MUTED)


def _swatch(x: float, y: float, colour: str) -> str:
    return f'<rect x="{_n(x)}" y="{_n(y - 11)}" width="14" height="14" fill="{colour}"/>'


def _description(document: ScheduleDocument, figures: tuple[words.Figure, ...]) -> str:
    said = (f"{f.label} {f.value}{f' ({f.note})' if f.note else ''}" for f in figures)
    return f"Pipeline schedule of {words.shape(document)}: {'; '.join(said)}."


def _label(
    x: float, y: float, text: str, *, size: float = 13, fill: str = INK, anchor: str = "start"
) -> str:
    """Give a line of text, with no more attributes than it needs."""
    attributes = [f'x="{_n(x)}"', f'y="{_n(y)}"']
    attributes += [f'font-size="{_n(size)}"'] if size != 13 else []
    attributes += [f'fill="{fill}"'] if fill != INK else []
    attributes += [f'text-anchor="{anchor}"'] if anchor != "start" else []
    return f"<text {' '.join(attributes)}>{_text(text)}</text>"


def _box(x: float, y: float, width: float, height: float) -> str:
    return f"M{_n(x)} {_n(y)}h{_n(width)}v{_n(height)}h{_n(-width)}z"


_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _text(text: str) -> str:
    """Escape text; characters that XML cannot hold become the replacement character."""
    return escape(_NOT_XML.sub("\ufffd", text))


def _shortened(text: str, most: float) -> str:
    return text if len(text) <= most else text[: max(1, int(most) - 1)] + "…"


def _micro(text: str) -> str:
    return text.replace("us", "µs")


def _n(number: float) -> str:
    text = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def _n1(number: float) -> str:
    text = f"{number:.1f}"
    return text[:-2] if text.endswith(".0") else text
