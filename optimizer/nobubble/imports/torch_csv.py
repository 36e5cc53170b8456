"""Reading the action tables of torch.distributed.pipelining: a row for every rank, no times.

PyTorch's I is our B (the input gradient), its W our W, and its B our BW (both at once).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from nobubble.errors import Fault, TableError
from nobubble.imports.table import REDUCE_GRAD, TRANSFERS, Cell, Table
from nobubble.profile.wording import shown
from nobubble.text_source import name_of, text_of
from nobubble.verifier.channels import Step

MOST_FAULTS: Final = 20
"""How many faults are told at once."""

_OPS: Final = {"F": "F", "I": "B", "W": "W", "B": "BW", **{op: op for op in TRANSFERS}}
_SHARDING: Final = ("UNSHARD", "RESHARD")
_ACTION: Final = re.compile(r"([0-9]{1,9})([A-Z]+(?:_[A-Z]+)*)([0-9]{1,9})?")
_OVERLAP: Final = re.compile(r"\(([^()]*)\)OVERLAP_F_B")
_RIGHT: Final = (
    "an action is stage, type and microbatch, such as 2F0; types are F, I (input gradient), W, "
    f"B (I and W at once), {', '.join(TRANSFERS)}, {REDUCE_GRAD}, {', '.join(_SHARDING)}"
)


def read_table(source: str | Path) -> Table:
    """Read a table from a file, ``-`` being stdin.

    Raises
    ------
    TableError
        The file cannot be read, or is not a table of actions. Lists what was found.
    """
    return table_of_text(text_of(source, TableError), name_of(source))


def table_of_text(text: str, source: str = "<table>") -> Table:
    """Read a table from its text, with sends and receives (compute_comms) or without.

    Raises
    ------
    TableError
        It is not a table of actions. Lists what was found, by row and column.
    """
    reading = _Reading()
    try:
        rows = [
            list(reading.row(rank, row))
            for rank, row in enumerate(csv.reader(io.StringIO(text, newline="")))
        ]
    except csv.Error as error:
        raise TableError(source, [Fault("", f"is not CSV: {error}")]) from None
    table = Table(source, rows, tuple(reading.notes()))
    if not rows:
        reading.faults.append(Fault("", "is empty; a table has a row of actions for every rank"))
    if table.has_transfers:
        reading.faults += reading.blanks
    faults = reading.faults
    if len(faults) > MOST_FAULTS:
        faults = [*faults[:MOST_FAULTS], Fault("", "and more faults")]
    if faults:
        raise TableError(source, faults)
    return table


class _Reading:
    """What is found while a table is read."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.blanks: list[Fault] = []
        self._sharding = 0
        self._overlaps = 0

    def notes(self) -> Iterator[str]:
        """Say what was left out or taken in another way than it is written."""
        if self._sharding:
            yield (
                f"{' and '.join(_SHARDING)} are left out ({self._sharding} of them): they move "
                "weights, and a profile has no times for them"
            )
        if self._overlaps:
            yield (
                f"the parts of OVERLAP_F_B run one after the other ({self._overlaps} of them), as "
                "PyTorch runs them unless a function of your own is registered for it; what that "
                "gains by overlapping is not in the cost"
            )

    def row(self, rank: int, texts: list[str]) -> Iterator[Cell]:
        """Read a row."""
        if not any(text.strip() for text in texts):
            self.faults.append(
                Fault(
                    f"row {rank + 1}",
                    "has no actions; a table has a row for every rank, and PyTorch counts an "
                    "empty one too",
                )
            )
            return
        for column, written in enumerate(texts, 1):
            text = written.strip()
            if not text:
                self.blanks.append(
                    Fault(
                        f"row {rank + 1}, column {column}",
                        "is blank; only a table without SEND and RECV may have blank cells",
                    )
                )
                continue
            overlap = _OVERLAP.fullmatch(text)
            if overlap:
                self._overlaps += 1
                for part in overlap[1].split(";"):
                    yield from self._cell(rank, column, part.strip(), within=text)
            else:
                yield from self._cell(rank, column, text)

    def _cell(self, rank: int, column: int, text: str, within: str = "") -> Iterator[Cell]:
        """Read an action; nothing comes of one that is left out, or no action."""
        problem = None
        match = _ACTION.fullmatch(text)
        stage, kind, microbatch = match.groups() if match else ("", "", None)
        if kind == REDUCE_GRAD or kind in _SHARDING:
            if microbatch is not None:
                problem = f"{shown(text)} has a microbatch; {kind} is of a stage: {stage}{kind}"
        elif kind not in _OPS:
            problem = f"{shown(text)} is no action; {_RIGHT}{_separator_hint(text)}"
        elif microbatch is None:
            problem = f"{shown(text)} has no microbatch; {_RIGHT}"
        if within and problem is None and kind not in ("F", "I", "W", "B"):
            problem = f"{shown(text)} cannot be a part of OVERLAP_F_B; its parts are F, I, W and B"
        if problem is not None:
            where = f" in {shown(within)}" if within else ""
            self.faults.append(Fault(f"row {rank + 1}, column {column}", problem + where))
        elif kind in _SHARDING:
            self._sharding += 1
        else:
            step = Step(_OPS.get(kind, kind), int(stage), int(microbatch or 0))
            yield Cell(step, rank, column, text)


def _separator_hint(text: str) -> str:
    """Say what may be meant where cells are not separated by commas."""
    return "; cells are separated by commas" if re.search(r"[0-9][;\t ][0-9]", text) else ""
