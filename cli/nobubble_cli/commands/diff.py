"""``nobubble diff``: a run beside its plan."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from nobubble_cli.choices import one_of
from nobubble_cli.difference_table import difference_table
from nobubble_cli.inputs import SchedulePath, check_source, read_schedule_from
from nobubble_cli.messages import say
from nobubble_cli.output import check_output, write_output, write_stdout

FORMATS = ("auto", "table", "json")


def diff(
    schedule: SchedulePath,
    run: Annotated[
        str,
        typer.Argument(metavar="RUN", help="What nobubble_torch.record wrote, or - for stdin."),
    ],
    step: Annotated[
        int | None,
        typer.Option(
            "--step", metavar="N", min=0, help="Which recorded step; by default the median one."
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE", help="Where to write the picture (SVG)."),
    ] = None,
    profile_out: Annotated[
        str | None,
        typer.Option(
            "--profile-out",
            metavar="FILE",
            help="Where to write the profile with the median times of the run.",
        ),
    ] = None,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="|".join(FORMATS),
            help="What to print; auto: a table on a terminal, JSON elsewhere.",
        ),
    ] = "auto",
) -> None:
    """Say where the time of a run went that its schedule did not plan.

    For every rank: ops that took longer, waiting for other ranks, messages that came late, and the
    rank's own time between ops; they add up to how much later it ended. Then the critical chain:
    which ranks and ops made the iteration longer.

    \b
    Example:
      nobubble diff schedule.json run.json -o run.svg
    """  # noqa: D301
    one_of(format, FORMATS, "--format")
    if schedule == "-" and run == "-":
        raise typer.BadParameter("stdin can be given once only", param_hint="'RUN'")
    check_source(run, "RUN")
    for path in (output, profile_out):
        if path is not None:
            check_output(path)
    document = read_schedule_from(schedule)

    from nobubble.profile.document import profile_document
    from nobubble.profile.reading import parse_profile
    from nobubble.runs.difference import difference
    from nobubble.runs.measured import cost_with, measured_profile
    from nobubble.runs.reading import planned_step, read_run
    from nobubble.runs.report import diff_report
    from nobubble.schedule.writing import json_text
    from nobubble.units import TIME_UNITS, from_unit
    from nobubble.verifier.verify import assert_valid

    assert_valid(document)
    profile = parse_profile(document["profile"])
    read = read_run(run, document)
    chosen = read.median_step() if step is None else read.step(step)
    found = difference(profile, planned_step(document), chosen)
    measured = measured_profile(profile, read)
    cost = round(from_unit(document["cost"], TIME_UNITS[profile.time_unit]))
    report = diff_report(profile, read, chosen, found, (cost, cost_with(document, measured)))
    if output is not None:
        from nobubble.pictures.difference import difference_svg

        write_output(output, difference_svg(document, chosen, found, report))
    if profile_out is not None:
        write_output(profile_out, json_text(profile_document(measured)))
    if format == "table" or (format == "auto" and sys.stdout is not None and sys.stdout.isatty()):
        write_stdout(difference_table(report))
    else:
        write_stdout(json_text(report))
    for what, path in (("picture", output), ("measured profile", profile_out)):
        if path is not None and path != "-":
            say(f"the {what} is written to {path}")
