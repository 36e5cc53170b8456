"""A comparison, or a frontier, as a table for people."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nobubble.comparison.compare import Comparison
    from nobubble.comparison.families import Exclusion
    from nobubble.comparison.row import Row
    from nobubble.comparison.sweep import Frontier


def comparison_table(comparison: Comparison) -> str:
    """Give every schedule on a line, the best first; then partitions, what is left out, advice."""
    from nobubble.comparison.report import recommendation

    model = comparison.model
    has_memory = any(any(row.peak_memory) for row in comparison.rows)
    header = [
        *("family", "method", "found by", "backward"),
        *(f"makespan {model.time_unit}", f"span {model.time_unit}", "bubble", "gap"),
        *([f"peak {model.memory_unit}"] if has_memory else []),
        "transfers",
    ]
    lines = aligned([header, *(_row(row, has_memory) for row in comparison.rows)], left=4)
    partitions = {row.family: row.partition for row in comparison.rows if row.partition is not None}
    if partitions and len(model.layers) > model.ranks:
        lines += ["", f"layers of every stage, {len(model.layers)} in all"]
        lines += aligned([[f, shortly(p)] for f, p in sorted(partitions.items())], left=2)
    lines += _left_out(comparison.left_out)
    return "\n".join([*lines, "", recommendation(comparison)]) + "\n"


def frontier_table(frontier: Frontier) -> str:
    """Give the best family at every memory limit."""
    model = frontier.model
    rows = [
        [family, point.method, number(point.memory), number(point.cost)]
        for family, point in frontier.best()
    ]
    cost = f"{model.objective.replace('_', ' ')} {model.time_unit}"
    header = ["family", "found by", f"limit {model.memory_unit}", cost]
    lines = aligned([header, *rows], left=2)
    return "\n".join([*lines, *_left_out(frontier.left_out)]) + "\n"


def _row(row: Row, has_memory: bool) -> list[str]:
    return [
        *(row.family, row.method, row.found_by, row.backward),
        *(number(row.makespan), number(row.rank_span)),
        *(f"{100 * row.bubble_rate:.2f} %", f"{100 * row.gap:.2f} %"),
        *([number(max(row.peak_memory))] if has_memory else []),
        str(row.transfers),
    ]


def _left_out(exclusions: Sequence[Exclusion]) -> list[str]:
    if not exclusions:
        return []
    rows = [[one.family, one.method or "", one.reason] for one in exclusions]
    return ["", "left out", *aligned(rows, left=3)]


def aligned(rows: Sequence[Sequence[str]], *, left: int) -> list[str]:
    """Give rows as lines; the first columns are words, the others numbers."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place < left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def shortly(counts: Sequence[int]) -> str:
    """Give numbers in a row, equal ones once with how many there are: 5, 4 x 6, 5."""
    runs = [(value, len(list(run))) for value, run in groupby(counts)]
    return ", ".join(str(value) if many == 1 else f"{value} x {many}" for value, many in runs)


def number(value: Decimal) -> str:
    """Give a number without an exponent."""
    return format(value, "f")
