"""``nobubble check``: committed schedules, in CI."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from nobubble.errors import VerificationError
from nobubble.methods import EFFORTS, METHODS, Effort
from nobubble_cli.checking.checking import check_pair
from nobubble_cli.checking.choices import Choices
from nobubble_cli.checking.pairs import SCHEDULE_SUFFIX, find_pairs
from nobubble_cli.choices import a_method, one_of
from nobubble_cli.client.address import Address, server_option, token_option
from nobubble_cli.messages import say
from nobubble_cli.output import write_stdout
from nobubble_cli.progress import Progress
from nobubble_cli.solve_options import (
    Answer,
    SolveOptions,
    TimeLimitOption,
    check_time_limit,
    solve_here,
)

if TYPE_CHECKING:
    from nobubble.profile.model import Profile


def check(
    profiles: Annotated[
        Path, typer.Argument(metavar="PROFILES", help="The folder with the profiles.")
    ],
    schedules: Annotated[
        Path,
        typer.Argument(
            metavar="SCHEDULES",
            help="The folder with their schedules: NAME.schedule.json for NAME.json, .yaml, .toml.",
        ),
    ],
    update: Annotated[
        bool, typer.Option("--update", help="Write a schedule where one is missing or wrong.")
    ] = False,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="|".join(METHODS),
            help="How to solve; default: as the schedule records, auto for a new one.",
        ),
    ] = None,
    effort: Annotated[
        str | None,
        typer.Option(
            "--effort",
            metavar="|".join(EFFORTS),
            help="How much work; default: as the schedule records, normal for a new one.",
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            "--seed",
            metavar="N",
            min=0,
            max=2**32 - 1,
            help="Seed of the search; default: as the schedule records, 0 for a new one.",
        ),
    ] = None,
    time_limit: TimeLimitOption = None,
    server: Annotated[
        str | None,
        server_option("CHECK", "Have the service at this address solve; '' is this machine."),
    ] = None,
    token: Annotated[str | None, token_option("CHECK")] = None,
) -> None:
    """Check that every profile has a schedule that is right and as good as can be had.

    Exits 5, with a line for each, when a schedule is missing, stale (the profile has changed),
    invalid, or costs more than a solve with the options that it records gives now. Prints what
    was found as JSON.

    \b
    Example:
      nobubble check profiles schedules --update
    """  # noqa: D301
    choices = Choices(
        method if method is None else a_method(method),
        cast(Effort | None, effort if effort is None else one_of(effort, EFFORTS, "--effort")),
        seed,
        check_time_limit(time_limit),
    )
    address = Address.if_given(server, token)
    pairs, orphans = find_pairs(profiles, schedules)

    from nobubble.schedule.writing import json_text
    from nobubble_cli.client.solving import solve_at

    def solve(profile: Profile, options: SolveOptions) -> Answer:
        if address is None:
            return solve_here(profile, options, progress)
        return solve_at(address, profile, options, progress, source=str(pair.profile))

    checked = []
    with Progress() as progress:
        for number, pair in enumerate(pairs, 1):
            progress.about = f"{number}/{len(pairs)} {pair.profile.name}: "
            progress("checking")
            checked.append(check_pair(pair, choices, solve, update=update))
        progress.about = ""
    write_stdout(
        json_text(
            {
                "schedules": [one.report() for one in checked],
                "orphans": [str(path) for path in orphans],
            }
        )
    )
    for one in checked:
        if one.is_written:
            say(f"written to {one.pair.schedule}")
    faults = [one.finding.message for one in checked if one.finding and not one.is_written]
    faults += [
        f"{path}: there is no profile {path.name.removesuffix(SCHEDULE_SUFFIX)} in {profiles}; "
        "delete the schedule, or bring the profile back"
        for path in orphans
    ]
    if faults:
        raise VerificationError(faults)
