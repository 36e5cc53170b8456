"""The argument SCHEDULE, and what every file or stdin that is read has to be."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from nobubble.errors import InputError

if TYPE_CHECKING:
    from nobubble.schedule.document import ScheduleDocument

SchedulePath = Annotated[
    str, typer.Argument(metavar="SCHEDULE", help="A schedule that solve wrote, or - for stdin.")
]


def check_source(source: str, metavar: str) -> None:
    """Refuse a source that names no file, and stdin where there is none.

    Parameters
    ----------
    source : str
        A path, or ``-`` for stdin.
    metavar : str
        What help calls it.

    Raises
    ------
    InputError
    """
    if not source:
        raise InputError(f"{metavar}: the path is empty; give a file, or - for stdin")
    if source == "-" and sys.stdin is None:
        raise InputError(f"{metavar}: cannot read stdin: it is closed")


def read_schedule_from(source: str) -> ScheduleDocument:
    """Read the schedule of an argument SCHEDULE.

    Raises
    ------
    InputError
        It cannot be read, or is not a schedule document.
    """
    from nobubble.schedule.reading import read_schedule

    check_source(source, "SCHEDULE")
    return read_schedule(source)
