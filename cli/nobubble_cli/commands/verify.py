"""``nobubble verify``: check a schedule."""

from __future__ import annotations

from typing import Annotated

import typer

from nobubble.errors import VerificationError
from nobubble_cli.inputs import SchedulePath, read_schedule_from
from nobubble_cli.output import write_stdout
from nobubble_cli.overrides import read_profile_with


def verify(
    schedule: SchedulePath,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            metavar="PROFILE",
            help="Check against this profile, not the one that the schedule carries.",
        ),
    ] = None,
) -> None:
    """Check that a schedule is right, and its figures too.

    Prints a verdict as JSON; exits 5 when something is not so.

    \b
    Example:
      nobubble verify schedule.json --profile profile.json
    """  # noqa: D301
    if schedule == profile == "-":
        raise typer.BadParameter(
            "the schedule comes from stdin already; give a file", param_hint="'--profile'"
        )
    against = None if profile is None else read_profile_with(profile, {})

    from nobubble.schedule.writing import json_text
    from nobubble.verifier.verdict import verdict
    from nobubble.verifier.verify import verify as findings_of

    document = read_schedule_from(schedule)
    findings = findings_of(document, against)
    write_stdout(json_text(verdict(document, findings)))
    if findings:
        raise VerificationError(findings)
