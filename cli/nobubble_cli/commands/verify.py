"""``nobubble verify``: check a schedule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from nobubble.errors import VerificationError
from nobubble_cli.inputs import SchedulePath, read_schedule_from
from nobubble_cli.messages import say
from nobubble_cli.output import write_stdout
from nobubble_cli.overrides import (
    MemoryLimitOption,
    MicrobatchesOption,
    ObjectiveOption,
    PlacementOption,
    options_for,
    overrides,
    read_profile_with,
)
from nobubble_cli.solve_options import IgnoreMemoryLimitOption, SolveOptions

if TYPE_CHECKING:
    from nobubble.profile.model import Profile
    from nobubble.schedule.document import ScheduleDocument


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
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Take no bound on trust: refuse one that is above what verify itself proves.",
        ),
    ] = False,
    objective: ObjectiveOption = None,
    microbatches: MicrobatchesOption = None,
    memory_limit: MemoryLimitOption = None,
    placement: PlacementOption = None,
    ignore_memory_limit: IgnoreMemoryLimitOption = False,
) -> None:
    """Check that a schedule is right, and its figures too.

    Prints a verdict as JSON; exits 5 when something is not so. A schedule that was solved with
    options in place of keys of the profile is verified against that profile with the same options.

    \b
    Example:
      nobubble verify schedule.json --profile profile.json
    """  # noqa: D301
    if schedule == profile == "-":
        raise typer.BadParameter(
            "the schedule comes from stdin already; give a file", param_hint="'--profile'"
        )
    keys = overrides(objective, microbatches, memory_limit, placement)
    if profile is None and (keys or ignore_memory_limit):
        raise typer.BadParameter(
            "options in place of keys of a profile need one", param_hint="'--profile'"
        )
    against = None
    if profile is not None:
        read = read_profile_with(profile, keys)
        against = SolveOptions(ignore_memory_limit=ignore_memory_limit).profile_solved(read)

    from nobubble.schedule.writing import json_text
    from nobubble.verifier.verdict import verdict
    from nobubble.verifier.verify import verify as findings_of

    document = read_schedule_from(schedule)
    findings = findings_of(document, against)
    found = verdict(document, findings)
    write_stdout(json_text(found))
    if findings:
        if against is not None:
            _hint(document, against)
        raise VerificationError(findings)
    if not found["proven"]["as_claimed"]:
        _on_trust(document, found["proven"], strict=strict)


def _hint(document: ScheduleDocument, against: Profile) -> None:
    """Say with which options the profile that was given would be the schedule's."""
    from nobubble.profile.reading import parse_profile

    options = options_for(parse_profile(document["profile"]), against)
    if options:
        say(f"note: with {' '.join(options)} the profile given is the schedule's")


def _on_trust(document: ScheduleDocument, proven: dict[str, Any], *, strict: bool) -> None:
    """Say that the bound is higher than what is proven here; when strict, refuse it."""
    from nobubble.profile.wording import shown

    unit = document["profile"]["time_unit"]
    text = (
        f"the lower bound of {shown(document['lower_bound'])} {unit} is said to be proven by "
        f"{document['bound']}; verify itself proves {shown(proven['lower_bound'])} {unit} "
        f"({proven['bound']})"
    )
    if strict:
        raise VerificationError([text])
    say(f"note: {text}")
