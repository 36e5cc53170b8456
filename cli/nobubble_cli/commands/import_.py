"""``nobubble import``: a schedule that somebody else wrote."""

from __future__ import annotations

from typing import Annotated

import typer

from nobubble_cli.inputs import check_source
from nobubble_cli.messages import say
from nobubble_cli.output import check_output, write_output
from nobubble_cli.overrides import (
    MemoryLimitOption,
    MicrobatchesOption,
    ObjectiveOption,
    PlacementOption,
    overrides,
    read_profile_with,
)
from nobubble_cli.solve_options import IgnoreMemoryLimitOption
from nobubble_cli.summary import summary
from nobubble_cli.waits import waits


def import_(
    table: Annotated[
        str,
        typer.Argument(
            metavar="TABLE", help="A table of torch.distributed.pipelining (CSV), or - for stdin."
        ),
    ],
    profile: Annotated[
        str,
        typer.Option("--profile", metavar="PROFILE", help="What its ops cost: JSON, YAML or TOML."),
    ],
    output: Annotated[
        str,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Where to write the schedule, - for stdout."
        ),
    ] = "-",
    ops_only: Annotated[
        bool,
        typer.Option(
            "--ops-only", help="Leave out the table's SEND, RECV and REDUCE_GRAD, unchecked."
        ),
    ] = False,
    objective: ObjectiveOption = None,
    microbatches: MicrobatchesOption = None,
    memory_limit: MemoryLimitOption = None,
    placement: PlacementOption = None,
    ignore_memory_limit: IgnoreMemoryLimitOption = False,
) -> None:
    """Read a schedule that was written by hand or dumped by PyTorch, and say what it costs.

    Exits 5 when it would hang, run out of memory, or silently go wrong.

    \b
    Example:
      nobubble import schedule.csv --profile profile.json -o schedule.json
    """  # noqa: D301
    if table == profile == "-":
        raise typer.BadParameter(
            "the table comes from stdin already; give a file", param_hint="'--profile'"
        )
    keys = overrides(objective, microbatches, memory_limit, placement)
    check_output(output)
    read = read_profile_with(profile, keys)
    check_source(table, "TABLE")

    from nobubble.imports import import_schedule, read_table
    from nobubble.schedule.writing import json_text

    actions = read_table(table)
    if ops_only:
        actions = actions.ops_alone()
    imported = import_schedule(actions, read, ignore_memory_limit=ignore_memory_limit)
    for note in imported.notes:
        say(f"note: {note}")
    write_output(output, json_text(imported.document))
    more = [("waits", line) for line in waits(imported.document)]
    if imported.communication is not None:
        judged = [kind for kind, found in imported.communication.items() if not found]
        more.append(("transfers", f"right under {', '.join(judged)}"))
    else:
        more.append(("transfers", "none in the table; PyTorch adds them"))
    for line in summary(
        imported.document, written_to="stdout" if output == "-" else output, more=more
    ):
        say(line)
