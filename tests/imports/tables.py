"""Tables to import: those that PyTorch 2.13 dumped, and changes to them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from nobubble.imports import Imported, import_schedule, table_of_text
from nobubble.profile.model import Profile
from nobubble.profile.reading import parse_profile
from tests.verifier.examples import SPLIT, written

FOLDER = Path(__file__).parent / "torch"
Rows = list[list[str]]


def dumped(name: str) -> str:
    """Give a table of 2 ranks with 2 stages each and 4 microbatches, as PyTorch dumped it."""
    return (FOLDER / name).read_text(encoding="utf-8")


def fitting(name: str, **keys: Any) -> Profile:
    """Give a profile that fits a dumped table."""
    placement = "v" if name.startswith(("zbv", "dualpipev")) else "interleaved"
    keys = {"microbatches": 4, "placement": placement, "stages": [SPLIT] * 4, **keys}
    return parse_profile(written(**{"memory_limit": 60, **keys}))


def changed(name: str, change: Callable[[Rows], object]) -> str:
    """Give a dumped table after a change to its cells."""
    rows = [line.split(",") for line in dumped(name).splitlines()]
    change(rows)
    return "".join(",".join(row) + "\n" for row in rows)


def imported(text: str, profile: Profile) -> Imported:
    """Import a table that is called x.csv."""
    return import_schedule(table_of_text(text, "x.csv"), profile)


def move(row: int, cell: str, before: str) -> Callable[[Rows], object]:
    """Give a change that moves a cell of a row before another."""

    def change(rows: Rows) -> None:
        rows[row].remove(cell)
        rows[row].insert(rows[row].index(before), cell)

    return change


def swap(row: int, one: str, other: str) -> Callable[[Rows], object]:
    """Give a change that swaps two cells of a row."""

    def change(rows: Rows) -> None:
        here = rows[row]
        first, second = here.index(one), here.index(other)
        here[first], here[second] = other, one

    return change


def drop(row: int, cell: str) -> Callable[[Rows], object]:
    """Give a change that takes a cell out of a row."""
    return lambda rows: rows[row].remove(cell)


def replace(row: int, cell: str, other: str) -> Callable[[Rows], object]:
    """Give a change that puts another cell in the place of one."""

    def change(rows: Rows) -> None:
        rows[row][rows[row].index(cell)] = other

    return change
