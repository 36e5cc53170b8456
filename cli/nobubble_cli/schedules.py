"""The argument SCHEDULE."""

from __future__ import annotations

from typing import Annotated

import typer

SchedulePath = Annotated[
    str, typer.Argument(metavar="SCHEDULE", help="A schedule that solve wrote, or - for stdin.")
]
