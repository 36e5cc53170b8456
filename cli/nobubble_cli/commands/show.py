"""``nobubble show``: draw a schedule in the terminal."""

from __future__ import annotations

import os
import shutil
import sys
from typing import Annotated

import typer

from nobubble_cli.choices import one_of
from nobubble_cli.inputs import SchedulePath, read_schedule_from
from nobubble_cli.output import write_stdout

COLORS = ("auto", "always", "never")


def show(
    schedule: SchedulePath,
    width: Annotated[
        int | None,
        typer.Option(
            "--width", metavar="N", min=20, help="Columns to use; default: all of the terminal."
        ),
    ] = None,
    color: Annotated[
        str,
        typer.Option(
            "--color",
            metavar="|".join(COLORS),
            help="Colours; auto: on a terminal, unless NO_COLOR is set.",
        ),
    ] = "auto",
    detail: Annotated[
        bool, typer.Option("--detail", help="Draw every op with its microbatch.")
    ] = False,
) -> None:
    """Draw a schedule in the terminal, a row for every rank.

    \b
    Example:
      nobubble show schedule.json --width 160
    """  # noqa: D301
    one_of(color, COLORS, "--color")

    from nobubble.pictures.terminal import gantt

    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    drawing = gantt(
        read_schedule_from(schedule),
        width=width or shutil.get_terminal_size().columns,
        colour=color == "always" or (color == "auto" and _wants_colour()),
        detail=detail,
        ascii_only=not _can_draw_blocks(encoding),
    )
    write_stdout(drawing, encoding=encoding)


def _wants_colour() -> bool:
    return _is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _can_draw_blocks(encoding: str) -> bool:
    try:
        "█".encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
