"""What was planned above what was measured, rank by rank on one time axis, as a standalone SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from nobubble.pictures import figures as words
from nobubble.pictures.layout import Layout, Row, lay_out
from nobubble.pictures.palette import MEANINGS, shade
from nobubble.pictures.svg import ALARM, FONT, MARGIN, MUTED, NARROWEST, RULE, TRACK
from nobubble.pictures.svg_elements import INK, box, label, px, shortened, swatch, text
from nobubble.pictures.svg_ops import Geometry, drawn, sliced
from nobubble.problem import KINDS
from nobubble.runs.difference import Difference
from nobubble.runs.reading import Step
from nobubble.schedule.document import ScheduleDocument

SEAM: Final = 2
"""Between what was planned and what was measured of a rank, in pixels."""


def difference_svg(
    document: ScheduleDocument, step: Step, found: Difference, report: Mapping[str, Any]
) -> str:
    """Draw a step beside its plan.

    The critical chain of the measured step is underlined.

    Parameters
    ----------
    document : ScheduleDocument
    step : Step
        The measured step.
    found : Difference
    report : mapping
        See `nobubble.runs.report`.
    """
    planned = lay_out(document)
    zero = min(row[0].start for row in step.ranks if row)
    rows = [_measured(row, step, zero) for row in planned.rows]
    end = max(planned.end, found.measured_makespan, 1)
    measured = replace(planned, rows=tuple(rows), end=end)
    height = 18 if len(rows) <= 16 else 10
    pitch = 2 * height + SEAM + (10 if len(rows) <= 16 else 5)
    width = min(max(18 * end / max(planned.mean_time, 1), 860), 1900)
    top = MARGIN + 110
    above = Geometry(MARGIN + 84, top, width, height, pitch, width / end, end)
    below = replace(above, top=top + height + SEAM)
    bottom = top + pitch * len(rows)
    whole = above.left + width + 190 + MARGIN
    in_slices = planned.mean_time * above.scale < NARROWEST
    draw = sliced if in_slices else drawn
    unit = words.time_unit(document, measured)
    title = f"Planned and measured: {words.title(document)}"
    figures = report["makespan"]
    said = (
        f"step {step.number}: makespan planned {figures['planned']}, measured "
        f"{figures['measured']} {report['time_unit']}; above: planned, below: measured, "
        "underlined: the critical chain"
    )
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{px(whole)}" height="{px(bottom + 84)}" '
        f'viewBox="0 0 {px(whole)} {px(bottom + 84)}" role="img" font-family="{FONT}" '
        f'font-size="13" fill="{INK}">',
        f"<title>{text(title)}</title>",
        f"<desc>{text(said)}</desc>",
        '<rect width="100%" height="100%" rx="10" fill="#ffffff"/>',
        f'<text x="{MARGIN}" y="{MARGIN + 18}" font-size="21" font-weight="650">'
        f"{text(shortened(title, (whole - 2 * MARGIN) / 12.5))}</text>",
        label(MARGIN, MARGIN + 42, shortened(said, (whole - 2 * MARGIN) / 6.4), fill=MUTED),
        *_axis(unit, above, bottom),
        *_tracks(above, below, len(rows)),
        *draw(planned, above),
        *draw(measured, below),
        *_chain(found, zero, below),
        *_ends(found, planned, unit, above),
        *_legend(planned, above, bottom + 56),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _measured(row: Row, step: Step, zero: int) -> Row:
    ran = step.ranks[row.rank]
    return replace(
        row,
        start=np.array([each.start - zero for each in ran], dtype=np.int64),
        end=np.array([each.end - zero for each in ran], dtype=np.int64),
    )


def _axis(unit: words.Unit, place: Geometry, bottom: float) -> Iterator[str]:
    for tick in words.ticks(place.end / unit.size, int(place.width / 90)):
        x = place.left + tick * unit.size * place.scale
        yield f'<path d="M{px(x)} {px(place.top - 6)}V{px(bottom)}" stroke="{RULE}" fill="none"/>'
        name = words.plain(tick, 7)
        yield label(x, bottom + 17, name, size=11, fill=MUTED, anchor="middle")
    yield label(place.left - 14, bottom + 17, unit.name, size=11, fill=MUTED, anchor="end")


def _tracks(above: Geometry, below: Geometry, ranks: int) -> Iterator[str]:
    path = "".join(
        box(place.left, place.top + place.pitch * rank, place.width, place.row)
        for place in (above, below)
        for rank in range(ranks)
    )
    yield f'<path d="{path}" fill="{TRACK}"/>'


def _chain(found: Difference, zero: int, place: Geometry) -> Iterator[str]:
    """Underline the critical chain."""
    path = ""
    for link in found.chain:
        y = place.top + place.pitch * link.rank + place.row + 1.5
        left = place.left + link.ran.start * place.scale
        path += f"M{px(left)} {px(y)}h{px(max(link.ran.time * place.scale, 0.5))}"
    yield f'<path d="{path}" stroke="{ALARM}" stroke-width="2" fill="none"/>'


def _ends(found: Difference, planned: Layout, unit: words.Unit, place: Geometry) -> Iterator[str]:
    """Name the ranks on the left, and say on the right how much later each ended, and why."""
    right = place.left + place.width + 12
    yield label(
        right, place.top - 12, f"later, {unit.name}: ops + waits + rest", size=11, fill=MUTED
    )
    for row in planned.rows:
        part = found.of_rank(row.rank)
        y = place.top + place.pitch * row.rank + place.row + 4
        yield label(place.left - 14, y, f"rank {row.rank}", size=12, anchor="end")
        ops, rest = sum(part.ops.values()), part.late + part.own
        total, *those = (unit.number(ns) for ns in (part.total(), ops, part.waits, rest))
        yield label(right, y, f"{total} = {' + '.join(those)}", size=12)


def _legend(layout: Layout, place: Geometry, y: float) -> Iterator[str]:
    x = place.left
    for kind in layout.kinds:
        yield swatch(x, y, shade(kind, 0, 1))
        name = f"{KINDS[kind]} {MEANINGS[kind]}"
        yield label(x + 21, y, name, size=12)
        x += 7 * len(name) + 35
    yield swatch(x, y, TRACK)
    yield label(x + 21, y, "idle", size=12)
