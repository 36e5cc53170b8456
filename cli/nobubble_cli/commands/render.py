"""``nobubble render``: write a schedule as a picture, a page or a trace."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nobubble.errors import InputError
from nobubble_cli.choices import one_of
from nobubble_cli.inputs import SchedulePath, read_schedule_from
from nobubble_cli.messages import say
from nobubble_cli.output import check_output, write_output

if TYPE_CHECKING:
    from nobubble.schedule.document import ScheduleDocument

FORMATS = {".svg": "svg", ".html": "html", ".htm": "html", ".json": "trace"}
NAMES = tuple(dict.fromkeys(FORMATS.values()))


def render(
    schedule: SchedulePath,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="x.svg is a picture, x.html a page, x.json a Chrome trace; - is stdout.",
        ),
    ],
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="|".join(NAMES),
            help="What to write, where the name of FILE does not say it.",
        ),
    ] = None,
) -> None:
    """Write a schedule as SVG, HTML page or Chrome trace.

    \b
    Example:
      nobubble render schedule.json -o schedule.svg
    """  # noqa: D301
    kind = _format_of(output, format)
    check_output(output)
    if _is_same_file(schedule, output):
        raise InputError(f"-o {output}: this is the schedule itself; write to another file")

    write_output(output, _renderer(kind)(read_schedule_from(schedule)))
    if output != "-":
        say(f"written to {output}")


def _format_of(output: str, name: str | None) -> str:
    """Give the format: the one asked for, or that of the file's extension."""
    if name is not None:
        return one_of(name, NAMES, "--format")
    if output == "-":
        raise typer.BadParameter(
            f"needed with -o -: one of {', '.join(NAMES)}", param_hint="'--format'"
        )
    extension = Path(output).suffix
    if extension.lower() not in FORMATS:
        raise typer.BadParameter(
            f"{output!r} does not end in .svg, .html or .json; name it so, or give --format",
            param_hint="'-o'",
        )
    return FORMATS[extension.lower()]


def _is_same_file(schedule: str, output: str) -> bool:
    one, other = Path(schedule), Path(output)
    return (
        "-" not in (schedule, output) and one.is_file() and other.exists() and one.samefile(other)
    )


def _renderer(kind: str) -> Callable[[ScheduleDocument], str]:
    if kind == "svg":
        from nobubble.pictures.svg import svg

        return svg
    if kind == "html":
        from nobubble.pictures.html import html

        return html
    from nobubble.pictures.trace import trace

    return trace
