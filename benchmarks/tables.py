"""Tables in plain text, and a word on stderr while they are made."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def print_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows under a head: the first column to the left, the others to the right."""
    cells = [[str(cell) for cell in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for number, row in enumerate(cells):
        first, *others = (
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join([first, *others]).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))


def announced(items: Sequence[Item], name: Callable[[Item], str]) -> Iterator[Item]:
    """Give items one by one, and say on stderr which it is."""
    for number, item in enumerate(items, start=1):
        print(f"[{number}/{len(items)}] {name(item)}", file=sys.stderr, flush=True)
        yield item
