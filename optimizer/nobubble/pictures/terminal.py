"""A schedule as text: a Gantt for the terminal.

The overview fits the width: a row for every rank, a cell for a slice of the iteration. The
detailed form is as long as it must be for every op to show its microbatch, and wraps into bands.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from nobubble.pictures import figures as words
from nobubble.pictures.cells import Canvas, Style, detailed, overview
from nobubble.pictures.layout import Layout, lay_out
from nobubble.pictures.palette import MEANINGS
from nobubble.problem import BW, KINDS
from nobubble.schedule.document import ScheduleDocument

LEAST_CELLS = 24


def gantt(
    document: ScheduleDocument,
    *,
    width: int,
    colour: bool,
    detail: bool = False,
    ascii_only: bool = False,
) -> str:
    """Draw a verified schedule as text.

    Parameters
    ----------
    document : ScheduleDocument
    width : int
        Columns of the terminal; where they are too few, lines are longer.
    colour : bool
        Whether to write the escape sequences of a terminal with 256 colours.
    detail : bool
        Whether every op shows its microbatch, in as many bands of rows as that takes.
    ascii_only : bool
        Whether the output may hold nothing but ASCII.
    """
    layout = lay_out(document)
    time = words.time_unit(document, layout, ascii_only=ascii_only)
    style = Style(colour=colour, ascii_only=ascii_only, chunks=layout.chunks)
    labels = _labels(document, layout)
    margin = len(labels[0])
    unit = words.time_unit(document, layout).name
    cells = max(width - margin - len(f" {unit}"), LEAST_CELLS)  # the unit ends the time axis
    canvas = (detailed if detail else overview)(layout, style, cells)
    lines = [*_heading(document, time, width), ""]
    total = len(canvas.rows[0])
    for begin in range(0, total, canvas.band):
        end = min(begin + canvas.band, total)
        names, rule = _axis(layout, time, canvas.per_cell, begin, end, ascii_only)
        lines += [f"{time.name} ".rjust(margin) + names, labels[0] + rule]
        lines += [
            label + style.render(row[begin:end])
            for label, row in zip(labels[1:], canvas.rows, strict=True)
        ]
        lines.append("")
    lines += _legend(layout, time, style, canvas, width, detail)
    text = "\n".join(line.rstrip() for line in lines) + "\n"
    return _as_ascii(text) if ascii_only else text


def _heading(document: ScheduleDocument, time: words.Unit, width: int) -> Iterator[str]:
    yield from _wrapped([f"{_printable(words.title(document))}: {words.shape(document)}"], width)
    said = [
        f"{figure.label} {figure.value}" + (f" ({_printable(figure.note)})" if figure.note else "")
        for figure in words.figures(document, time)
    ]
    yield from _wrapped([_printable(piece) for piece in said], width)
    if requirement := words.requirement(document):
        yield from textwrap.wrap(requirement, width)


def _wrapped(pieces: Sequence[str], width: int) -> Iterator[str]:
    """Fill lines with pieces; a piece is not broken."""
    line = ""
    for piece in pieces:
        if line and len(line) + 3 + len(piece) > width:
            yield line
            line = ""
        line += f"   {piece}" if line else piece
    yield line


def _labels(document: ScheduleDocument, layout: Layout) -> list[str]:
    """Give what stands left of the rows, under a heading, all equally wide."""
    memory = words.memory_unit(document, layout)
    columns = [["rank", *(str(row.rank) for row in layout.rows)]]
    end = layout.end or 1
    columns.append(["busy", *(f"{100 * row.busy / end:.0f}%" for row in layout.rows)])
    if layout.has_memory:
        peaks = [words.plain(row.peak_memory / memory.size, 4) for row in layout.rows]
        limits = [
            ""
            if row.memory_limit is None
            else f"/{words.plain(row.memory_limit / memory.size, 4)}{'!' * row.over_limit}"
            for row in layout.rows
        ]
        name = "peak/limit" if any(limits) else "peak"
        figures = [peak + limit for peak, limit in zip(peaks, limits, strict=True)]
        columns.append([f"{name} {memory.name}", *figures])
    widths = [max(map(len, column)) for column in columns]
    return [
        " ".join(text.rjust(wide) for text, wide in zip(line, widths, strict=True)) + " "
        for line in zip(*columns, strict=True)
    ]


def _axis(
    layout: Layout,
    unit: words.Unit,
    per_cell: float,
    begin: int,
    end: int,
    ascii_only: bool,
) -> tuple[str, str]:
    """Give the line with the times and the line with the marks, of the cells from begin to end."""
    line, mark = ("-", "+") if ascii_only else ("─", "┬")
    rule = [line] * (end - begin)
    names = [" "] * (end - begin)
    step = _step(per_cell / unit.size, unit, layout.end)
    tick = -(-begin * per_cell // step) * step
    free = 0
    while tick <= layout.end and (at := round(tick / per_cell) - begin) < end - begin:
        rule[at] = mark
        name = unit.number(tick)
        if at >= free and at + len(name) <= end - begin:
            names[at : at + len(name)] = name
            free = at + len(name) + 1
        tick += step
    return "".join(names), "".join(rule)


def _step(per_cell: float, unit: words.Unit, end: int) -> float:
    """Give a round step of at least eight cells, and of more where the numbers are long, in ns."""
    room = max(8, len(unit.number(end)) + 3)
    return words.round_step(per_cell * room) * unit.size


def _legend(
    layout: Layout,
    unit: words.Unit,
    style: Style,
    canvas: Canvas,
    width: int,
    detail: bool,
) -> Iterator[str]:
    pieces = []
    for kind in layout.kinds:
        sign = style.render([style.cell(kind, chunk) for chunk in range(min(layout.chunks, 2))])
        name = f"{KINDS[kind]} {MEANINGS[kind]}" if style.colour or kind == BW else MEANINGS[kind]
        pieces.append((f"{sign} {name}", len(name) + 1 + min(layout.chunks, 2)))
    remarks = list(_remarks(layout, style, canvas, detail))
    if layout.end:
        remarks.append(f"a column is {words.plain(canvas.per_cell / unit.size, 3)} {unit.name}")
    pieces += [(text, len(text)) for text in remarks]
    line, length = "", 0
    for text, shown in pieces:
        if line and length + 3 + shown > width:
            yield line
            line, length = "", 0
        line, length = (f"{line}   {text}", length + 3 + shown) if line else (text, shown)
    yield line


def _remarks(layout: Layout, style: Style, canvas: Canvas, detail: bool) -> Iterator[str]:
    if not style.colour:
        yield ". idle"
    if canvas.crowded:
        yield "grey: all kinds mixed" if style.colour else "+ mixed"
    elif layout.chunks > 1:
        later = "lighter" if style.colour else "small letters"
        yield f"{later}: {'second stage' if layout.chunks == 2 else 'every other stage'} of a rank"
    elif style.colour:
        yield "shades alternate with the microbatch"
    if detail:
        yield "number: microbatch"
    elif not (style.colour or canvas.crowded):
        yield "- the op goes on"
    if any(row.over_limit for row in layout.rows):
        yield "! over the limit"


def _printable(text: str) -> str:
    """Escape what a terminal would obey instead of showing."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text
    )


def _as_ascii(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode("ascii")
