"""``nobubble export``: a schedule in the format of a training runtime."""

from __future__ import annotations

from typing import Annotated

import typer

from nobubble_cli.choices import one_of
from nobubble_cli.inputs import SchedulePath, read_schedule_from
from nobubble_cli.messages import say
from nobubble_cli.output import check_output, write_output

NAMES = ("torch-csv", "torch-csv-comms")


def export(
    schedule: SchedulePath,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="|".join(NAMES),
            help="torch-csv: the ops, as torchtitan reads them; -comms: sends and receives too.",
        ),
    ] = "torch-csv",
    output: Annotated[
        str, typer.Option("-o", "--output", metavar="FILE", help="Where to write it, - for stdout.")
    ] = "-",
) -> None:
    """Write a schedule for torch.distributed.pipelining; one that is not valid is refused.

    \b
    Example:
      nobubble export schedule.json --format torch-csv -o schedule.csv
    """  # noqa: D301
    one_of(format, NAMES, "--format")
    check_output(output)
    document = read_schedule_from(schedule)

    from nobubble.errors import VerificationError
    from nobubble.exports import export as written
    from nobubble.verifier.verify import verify

    findings = verify(document)
    if findings:
        raise VerificationError(findings)
    write_output(output, written(document, format))
    if output != "-":
        say(f"written to {output}")
