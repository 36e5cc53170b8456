"""A table of actions: what every rank does, in order, without times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from nobubble.verifier.channels import Step

REDUCE_GRAD: Final = "REDUCE_GRAD"
OPS: Final = ("F", "B", "W", "BW")
TRANSFERS: Final = ("SEND_F", "RECV_F", "SEND_B", "RECV_B")


class Cell(NamedTuple):
    """An action, and where it stands.

    Attributes
    ----------
    step : Step
        The microbatch of REDUCE_GRAD, which has none, is 0.
    rank : int
    column : int
        In the file, from 1; the row is the rank's number and one.
    text : str
        As written.
    """

    step: Step
    rank: int
    column: int
    text: str

    def __str__(self) -> str:
        """Say where it is and what it is: ``row 2, column 7: 1F3``."""
        return f"row {self.rank + 1}, column {self.column}: {self.text}"


@dataclass(frozen=True, slots=True)
class Table:
    """The actions of all ranks.

    Attributes
    ----------
    source : str
        Where it came from, for messages.
    rows : list of list of Cell
    notes : tuple of str
        What was left out or taken in another way than it is written.
    """

    source: str
    rows: list[list[Cell]]
    notes: tuple[str, ...] = ()

    @property
    def has_transfers(self) -> bool:
        """Whether sends and receives are listed, not for PyTorch to add."""
        return any(cell.step.op in TRANSFERS for row in self.rows for cell in row)

    def ops(self) -> Iterator[Cell]:
        """Give the ops of all ranks."""
        return (cell for row in self.rows for cell in row if cell.step.op in OPS)

    def ops_alone(self) -> Table:
        """Give the table without transfers and REDUCE_GRAD, which PyTorch adds."""
        rows = [[cell for cell in row if cell.step.op in OPS] for row in self.rows]
        return Table(self.source, rows, self.notes)
