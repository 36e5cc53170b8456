"""The rows of a Gantt as cells of a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobubble.pictures.layout import Layout, Row
from nobubble.pictures.palette import TERMINAL
from nobubble.pictures.shares import shares_of
from nobubble.problem import B, W

IDLE: Final = -1
MIXED: Final = 8
"""Fills: 2 * kind + shade, IDLE, and MIXED where no kind fills most of a cell."""

SAMPLES: Final = 8
CROWDED: Final = 1.5
"""Ops in a cell from which on cells show what prevails instead of single ops."""

BANDS: Final = 3
"""How often the overview may wrap without colour."""

_HAIR: Final = 1 - 1e-9
"""A hair less than what just fits, so that rounding takes no cell away."""
MINOR: Final = 0.15
"""The part of a cell's busy time up to which a kind is left out, in crowded cells."""

_LETTERS: Final = ("F", "B", "W", "X")
_LEFT_BLOCKS: Final = " ▏▎▍▌▋▊▉"
_GREY: Final = 245


class Cell(NamedTuple):
    """One cell: a character on a fill, or a left and a right fill.

    Attributes
    ----------
    fill : int
    sign : str
        What stands on the fill.
    right : int
        The fill of the right part.
    eighths : int
        How wide the left part is; 8 is all of the cell.
    """

    fill: int
    sign: str = " "
    right: int = IDLE
    eighths: int = 8


@dataclass(frozen=True, slots=True)
class Style:
    """How cells become text.

    Attributes
    ----------
    colour, ascii_only : bool
    chunks : int
        The most stages that a rank has: shades (or small letters) tell them apart where there are
        several, and else neighbouring microbatches.
    """

    colour: bool
    ascii_only: bool
    chunks: int

    def fills(self, row: Row) -> NDArray[np.int64]:
        """Give the fill of every op of a row."""
        second = row.chunk if self.chunks > 1 else row.microbatch if self.colour else 0 * row.chunk
        return 2 * row.kind + second % 2

    def cell(self, kind: int, chunk: int) -> Cell:
        """Give the cell that stands for a kind and chunk in a legend."""
        fill = 2 * kind + chunk % 2
        return Cell(fill, letter_of(fill))

    def render(self, cells: Sequence[Cell]) -> str:
        """Give cells as text."""
        if not self.colour:
            return "".join(cell.sign for cell in cells)
        pieces = []
        for codes, run in groupby(cells, key=self._codes):
            signs = "".join(self._sign(cell) for cell in run)
            pieces.append(f"\x1b[{codes}m{signs}\x1b[0m" if codes else signs)
        return "".join(pieces)

    def _codes(self, cell: Cell) -> str:
        """Give the attributes of a cell; idle is the terminal's own ground."""
        if cell.eighths == 8:
            if cell.fill == IDLE:
                return ""
            return f"38;5;{16 if _is_light(cell.fill) else 231};48;5;{_colour(cell.fill)}"
        if cell.fill == IDLE:
            return f"7;38;5;{_colour(cell.right)}"
        if cell.right == IDLE:
            return f"38;5;{_colour(cell.fill)}"
        return f"38;5;{_colour(cell.fill)};48;5;{_colour(cell.right)}"

    def _sign(self, cell: Cell) -> str:
        if cell.eighths == 8:
            return " " if cell.fill == IDLE else cell.sign
        return _LEFT_BLOCKS[cell.eighths]


def letter_of(fill: int) -> str:
    """Give the character that stands for a fill without colour."""
    if fill in (IDLE, MIXED):
        return "." if fill == IDLE else "+"
    letter = _LETTERS[fill // 2]
    return letter.lower() if fill % 2 else letter


def _is_light(fill: int) -> bool:
    """Say whether text on a fill is black: on B and W, on every lighter shade and on grey."""
    return fill % 2 == 1 or fill // 2 in (B, W) or fill == MIXED


def _colour(fill: int) -> int:
    return _GREY if fill == MIXED else TERMINAL[fill // 2][fill % 2]


@dataclass(frozen=True, slots=True)
class Canvas:
    """The rows of a Gantt as cells.

    Attributes
    ----------
    rows : list of list of Cell
        One for every rank, all equally long.
    per_cell : float
        The nanoseconds of a cell.
    band : int
        Where the rows are to be wrapped.
    crowded : bool
        Whether cells show what prevails instead of single ops.
    """

    rows: list[list[Cell]]
    per_cell: float
    band: int
    crowded: bool = False


def overview(layout: Layout, style: Style, cells: int) -> Canvas:
    """Draw the whole iteration in that many cells.

    Letters get up to `BANDS` times as many cells where that lets every op have one.
    """
    per_cell = max(layout.end, 1) / cells
    least = _least_time(layout) * _HAIR
    if not style.colour and least < per_cell <= BANDS * least:
        return _marked(layout, style, least, cells, numbered=False)
    crowded = per_cell > CROWDED * layout.mean_time > 0
    draw = _crowded_row if crowded else _coloured_row if style.colour else _lettered_row
    rows = [draw(row, style, per_cell, cells) for row in layout.rows]
    return Canvas(rows, per_cell, cells, crowded)


def detailed(layout: Layout, style: Style, cells: int) -> Canvas:
    """Draw the iteration in as many cells as it takes for ops to show their microbatch.

    No number straddles the place where the rows are wrapped; an op that does may go without, and
    so may ops shorter than a third of the mean.
    """
    digits = max(len(str(int(row.microbatch.max(initial=0)))) for row in layout.rows)
    fitting = _least_time(layout) / (digits + 1) * _HAIR
    per_cell = min(fitting, layout.end / cells) if layout.end else 1.0
    return _marked(layout, style, per_cell, cells, numbered=True)


def _least_time(layout: Layout) -> float:
    """Give the time of the shortest op, but no less than a third of the mean, in ns."""
    times = [row.end - row.start for row in layout.rows]
    shortest = min((int(time[time > 0].min()) for time in times if time.any()), default=0)
    return max(shortest, layout.mean_time / 3)


def _sampled(row: Row, per_cell: float, cells: int) -> NDArray[np.int64]:
    """Give which op runs at evenly spread moments, shape (cells, SAMPLES); -1 is none."""
    lasting = np.flatnonzero(row.end > row.start)
    moments = (np.arange(cells * SAMPLES) + 0.5) * (per_cell / SAMPLES)
    place = np.searchsorted(row.end[lasting], moments, side="right")
    ops = np.append(lasting, -1)[place]
    running = (ops >= 0) & (row.start[ops] <= moments)
    return np.where(running, ops, -1).reshape(cells, SAMPLES)


def _lettered_row(row: Row, style: Style, per_cell: float, cells: int) -> list[Cell]:
    """Draw a letter where an op begins and a dash where it goes on."""
    fills = style.fills(row).tolist()
    drawn: list[Cell] = []
    before = -1
    for samples in _sampled(row, per_cell, cells).tolist():
        op = _most(samples)
        if op < 0:
            drawn.append(Cell(IDLE, "."))
        else:
            drawn.append(Cell(fills[op], "-" if op == before else letter_of(fills[op])))
        before = op
    return drawn


def _coloured_row(row: Row, style: Style, per_cell: float, cells: int) -> list[Cell]:
    """Draw colours; where one changes inside a cell, a block of eighths shows where."""
    fills = [*style.fills(row).tolist(), IDLE]
    drawn = []
    for samples in _sampled(row, per_cell, cells).tolist():
        colours = [fills[op] for op in samples]
        changes = [at for at in range(1, SAMPLES) if colours[at] != colours[at - 1]]
        if not changes:
            drawn.append(Cell(colours[0]))
        elif style.ascii_only:
            drawn.append(Cell(_most(colours)))
        elif len(changes) == 1:
            drawn.append(Cell(colours[0], right=colours[-1], eighths=changes[0]))
        else:
            half = SAMPLES // 2
            left, right = _most(colours[:half]), _most(colours[half:])
            drawn.append(Cell(left) if left == right else Cell(left, right=right, eighths=half))
    return drawn


def _crowded_row(row: Row, style: Style, per_cell: float, cells: int) -> list[Cell]:
    """Draw the one or two kinds that fill a cell; more are mixed, and mostly idle is idle."""
    drawn = []
    for shares in shares_of(row, np.linspace(0, cells * per_cell, cells + 1)).tolist():
        busy = sum(shares)
        kinds = [kind for kind, share in enumerate(shares) if share > MINOR * busy]
        fill = IDLE if busy < 0.5 else 2 * kinds[0] if len(kinds) == 1 else MIXED
        if fill == MIXED and len(kinds) == 2 and style.colour and not style.ascii_only:
            first, second = kinds
            part = shares[first] / (shares[first] + shares[second])
            drawn.append(Cell(2 * first, right=2 * second, eighths=round(SAMPLES * part)))
        else:
            drawn.append(Cell(fill, " " if style.colour else letter_of(fill)))
    return drawn


def _marked(layout: Layout, style: Style, per_cell: float, cells: int, *, numbered: bool) -> Canvas:
    total = max(1, round(layout.end / per_cell))
    band = math.ceil(total / math.ceil(total / cells))
    rows = [_marked_row(row, style, per_cell, total, band, numbered) for row in layout.rows]
    return Canvas(rows, per_cell, band)


def _marked_row(
    row: Row, style: Style, per_cell: float, total: int, band: int, numbered: bool
) -> list[Cell]:
    """Draw every op from its letter on, without colour, and with its microbatch, if numbered."""
    blank, idle = (" ", " ") if style.colour else ("-", ".")
    drawn = [Cell(IDLE, idle)] * total
    first = np.floor(row.start / per_cell + 0.5).astype(np.int64).tolist()
    last = np.floor(row.end / per_cell + 0.5).astype(np.int64).tolist()
    fills, numbers = style.fills(row).tolist(), row.microbatch.tolist()
    for begin, end, fill, number in zip(first, last, fills, numbers, strict=True):
        letter = "" if style.colour else letter_of(fill)
        text = f"{letter}{number}" if numbered else letter
        wrap = (begin // band + 1) * band
        at = begin if begin + len(text) <= wrap else wrap
        if at + len(text) > end:
            at, text = begin, letter
        signs = (letter if at > begin else "").ljust(at - begin, blank) + text
        for place, sign in enumerate(signs.ljust(end - begin, blank)[: end - begin]):
            drawn[begin + place] = Cell(fill, sign)
    return drawn


def _most(values: Sequence[int]) -> int:
    """Give the commonest value, the first of several."""
    return max(values, key=values.count)
