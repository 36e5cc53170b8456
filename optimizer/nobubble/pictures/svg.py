"""A schedule as a standalone SVG: the Gantt, its figures, an axis and a legend.

The picture carries its own light ground, so that it reads the same on a dark page, and neither ids
nor style sheets, so that several can stand in one page.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from nobubble.pictures import figures as words
from nobubble.pictures.layout import Layout, lay_out
from nobubble.pictures.palette import MEANINGS, shade
from nobubble.pictures.svg_elements import INK, box, label, px, shortened, swatch, text
from nobubble.pictures.svg_ops import SLICE, Geometry, drawn, sliced
from nobubble.problem import KINDS
from nobubble.schedule.document import ScheduleDocument

FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', Arial, sans-serif"
MUTED, RULE, TRACK, ALARM = "#5b6472", "#d9dee6", "#eceff4", "#b3261e"
MARGIN: Final = 28
NARROWEST: Final = 1.2
"""Where ops are narrower on average, slices of the iteration are drawn instead, in pixels."""


def svg(document: ScheduleDocument, *, beside: ScheduleDocument | None = None) -> str:
    """Draw a verified schedule as SVG.

    Every op is drawn, with its microbatch where the number fits. Where ops are too narrow to be
    seen, thin slices of the iteration show the share of each kind, and the picture says so.

    Parameters
    ----------
    document : ScheduleDocument
    beside : ScheduleDocument, optional
        Another schedule, with which this one is to be compared: two pictures, each drawn beside
        the other's schedule, have one time axis.
    """
    layout = lay_out(document)
    unit = words.time_unit(document, layout)
    figures = words.figures(document, unit)
    requirement = words.requirement(document)
    # A line more in the heading.
    place = _geometry(
        layout, lay_out(beside) if beside else layout, MARGIN + (164 if requirement else 140)
    )
    bottom = place.top + place.pitch * len(layout.rows)
    width = place.left + place.width + (214 if layout.has_memory else 96) + MARGIN
    in_slices = 0 < layout.mean_time * place.scale < NARROWEST
    ops = list(sliced(layout, place) if in_slices else drawn(layout, place))
    if in_slices:
        remark = f"too many ops to draw each: a column of {SLICE} px shows the share of each kind"
    else:
        remark = "number: microbatch" if ops and ops[-1] == "</g>" else ""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{px(width)}" height="{px(bottom + 84)}" '
        f'viewBox="0 0 {px(width)} {px(bottom + 84)}" role="img" font-family="{FONT}" '
        f'font-size="13" fill="{INK}">',
        f"<title>{text(words.title(document))}</title>",
        f"<desc>{text(_description(document, figures))}</desc>",
        '<rect width="100%" height="100%" rx="10" fill="#ffffff"/>',
        *_heading(document, figures, requirement, width),
        *_axis(unit, place, bottom),
        *_tracks(layout, place),
        *ops,
        *_bound(document, layout, place, bottom),
        *_margins(document, layout, place),
        *_legend(layout, place, bottom + 56, remark, 1 if in_slices else layout.chunks),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _geometry(layout: Layout, other: Layout, top: float) -> Geometry:
    ranks = len(layout.rows)
    row, gap = (26, 6) if ranks <= 16 else (16, 4) if ranks <= 40 else (9, 2)
    end = max(layout.end, other.end, 1)
    # Room for two digits in an op of mean time, as far as a page is wide.
    width = min(max(18 * end / max(layout.mean_time, other.mean_time, 1), 860), 1900)
    return Geometry(MARGIN + 84, top + 12, width, row, row + gap, width / end, end)


def _heading(
    document: ScheduleDocument,
    figures: tuple[words.Figure, ...],
    requirement: str,
    width: float,
) -> Iterator[str]:
    yield (
        f'<text x="{MARGIN}" y="{MARGIN + 18}" font-size="21" font-weight="650">'
        f"{text(shortened(words.title(document), (width - 2 * MARGIN) / 12.5))}</text>"
    )
    yield label(MARGIN, MARGIN + 40, words.shape(document), fill=MUTED)
    step = (width - 2 * MARGIN) / len(figures)
    for number, figure in enumerate(figures):
        x = MARGIN + step * number
        yield label(x, MARGIN + 74, figure.label, size=11, fill=MUTED)
        room = (step - 8) / 8.6
        yield (
            f'<text x="{px(x)}" y="{MARGIN + 93}" font-size="16" font-weight="600">'
            f"{text(shortened(figure.value, room))}</text>"
        )
        if figure.note:
            note = shortened(figure.note, (step - 8) / 6)
            yield label(x, MARGIN + 109, note, size=11, fill=MUTED)
    if requirement:
        yield label(MARGIN, MARGIN + 134, requirement, size=12, fill=MUTED)


def _axis(unit: words.Unit, place: Geometry, bottom: float) -> Iterator[str]:
    for tick in words.ticks(place.end / unit.size, int(place.width / 90)):
        x = place.left + tick * unit.size * place.scale
        yield (
            f'<path d="M{px(x)} {px(place.top - 6)}V{px(bottom + 4)}" stroke="{RULE}" fill="none"/>'
        )
        name = words.plain(tick, 7)
        yield label(x, bottom + 19, name, size=11, fill=MUTED, anchor="middle")
    yield label(place.left - 14, bottom + 19, unit.name, size=11, fill=MUTED, anchor="end")


def _tracks(layout: Layout, place: Geometry) -> Iterator[str]:
    width = max(layout.end, 1) * place.scale
    path = "".join(
        box(place.left, place.top + place.pitch * at, width, place.row)
        for at in range(len(layout.rows))
    )
    yield f'<path d="{path}" fill="{TRACK}"/>'


def _bound(
    document: ScheduleDocument, layout: Layout, place: Geometry, bottom: float
) -> Iterator[str]:
    """Mark where a schedule at the lower bound would end."""
    if document["objective"] != "makespan" or document["gap"] == 0:
        return
    part = float(document["lower_bound"]) / float(document["cost"])
    x = place.left + layout.end * place.scale * part
    yield (
        f'<path d="M{px(x)} {px(place.top - 8)}V{px(bottom)}" stroke="{ALARM}" '
        'stroke-width="1.4" stroke-dasharray="5 4" fill="none"/>'
    )
    yield label(x, place.top - 12, "lower bound", size=11, fill=ALARM, anchor="middle")


def _margins(document: ScheduleDocument, layout: Layout, place: Geometry) -> Iterator[str]:
    """Name the ranks on the left, and give their busy time and peak memory on the right."""
    memory = words.memory_unit(document, layout)
    size = min(12.0, place.row)
    right = place.left + place.width
    head = place.top - 12
    yield label(right + 70, head, "busy", size=11, fill=MUTED, anchor="end")
    if layout.has_memory:
        yield label(right + 88, head, f"peak memory, {memory.name}", size=11, fill=MUTED)
    for at, row in enumerate(layout.rows):
        y = place.top + place.pitch * at + place.row / 2 + 0.36 * size
        yield label(place.left - 14, y, f"rank {row.rank}", size=size, anchor="end")
        busy = words.percent(row.busy / layout.end if layout.end else 0)
        yield label(right + 70, y, busy, size=size, anchor="end")
        if layout.has_memory:
            peak = words.plain(row.peak_memory / memory.size, 4)
            if row.memory_limit is not None:
                peak += f" of {words.plain(row.memory_limit / memory.size, 4)}"
            colour = ALARM if row.over_limit else INK
            yield label(right + 88, y, peak, size=size, fill=colour)


def _legend(layout: Layout, place: Geometry, y: float, remark: str, shades: int) -> Iterator[str]:
    x = place.left
    shown = min(shades, 4)
    for kind in layout.kinds:
        for chunk in range(shown):
            yield swatch(x, y, shade(kind, chunk, shown))
            x += 14
        name = f"{KINDS[kind]} {MEANINGS[kind]}"
        yield label(x + 7, y, name, size=12)
        x += 7 * len(name) + 21
    yield swatch(x, y, TRACK)
    yield label(x + 21, y, "idle", size=12)
    remarks = ["lighter: later stages of the rank"] * (shades > 1) + [remark] * bool(remark)
    if remarks:
        yield label(x + 66, y, "; ".join(remarks), size=12, fill=MUTED)


def _description(document: ScheduleDocument, figures: tuple[words.Figure, ...]) -> str:
    said = (f"{f.label} {f.value}{f' ({f.note})' if f.note else ''}" for f in figures)
    return f"Pipeline schedule of {words.shape(document)}: {'; '.join(said)}."
