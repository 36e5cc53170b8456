"""``nobubble solve``: find a schedule."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, cast

import typer

from nobubble.compiled.loading import load_kernels
from nobubble.methods import EFFORTS, METHODS, Effort
from nobubble_cli.choices import one_of
from nobubble_cli.messages import say
from nobubble_cli.output import check_output, write_output
from nobubble_cli.overrides import (
    MemoryLimitOption,
    MicrobatchesOption,
    ObjectiveOption,
    PlacementOption,
    ProfilePath,
    overrides,
    read_profile_with,
)
from nobubble_cli.progress import Progress
from nobubble_cli.remote.options import SolveServerOption, SolveTokenOption
from nobubble_cli.summary import summary

if TYPE_CHECKING:
    from nobubble.profile.model import Profile


def solve(
    profile: ProfilePath,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Where to write the schedule, - for stdout. With a file, the figures are printed.",
        ),
    ] = "-",
    method: Annotated[
        str,
        typer.Option(
            "--method",
            metavar="|".join(METHODS),
            help="How to find the schedule; auto: heuristics, search, CP-SAT on small problems.",
        ),
    ] = "auto",
    effort: Annotated[
        str,
        typer.Option(
            "--effort",
            metavar="|".join(EFFORTS),
            help="How much work goes into it: heuristics only, a second or so, a minute.",
        ),
    ] = "normal",
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", min=0, max=2**32 - 1, help="Seed of the search.")
    ] = 0,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", metavar="SECONDS", help="Stop searching after this long."),
    ] = None,
    objective: ObjectiveOption = None,
    microbatches: MicrobatchesOption = None,
    memory_limit: MemoryLimitOption = None,
    placement: PlacementOption = None,
    ignore_memory_limit: Annotated[
        bool,
        typer.Option(
            "--ignore-memory-limit",
            help="Solve as if the profile had no memory limit.",
        ),
    ] = False,
    server: SolveServerOption = None,
    token: SolveTokenOption = None,
) -> None:
    """Find a schedule for a profile and write it as JSON.

    \b
    Example:
      nobubble solve profile.json -o schedule.json --memory-limit 9920
    """  # noqa: D301
    one_of(method, METHODS, "--method")
    one_of(effort, EFFORTS, "--effort")
    if time_limit is not None and not (math.isfinite(time_limit) and time_limit > 0):
        raise typer.BadParameter(
            f"{time_limit} is not a number of seconds above 0", param_hint="'--time-limit'"
        )
    keys = overrides(objective, microbatches, memory_limit, placement)
    check_output(output)
    read = read_profile_with(profile, keys)

    if server is not None:
        options = {
            "method": method,
            "effort": effort,
            "seed": seed,
            "time_limit": time_limit,
            "ignore_memory_limit": ignore_memory_limit,
        }
        _solve_remotely(server, token, profile, read, options, output)
        return

    from nobubble.schedule.writing import json_text
    from nobubble.solve import solve as find_schedule

    with Progress() as progress:
        with progress.loading_kernels():
            load_kernels()
        document = find_schedule(
            read,
            method=method,
            effort=cast(Effort, effort),
            seed=seed,
            time_limit=time_limit,
            ignore_memory_limit=ignore_memory_limit,
            progress=progress,
        )
    write_output(output, json_text(document))
    if output != "-":
        for line in summary(document, written_to=output):
            say(line)


def _solve_remotely(
    server: str,
    token: str | None,
    source: str,
    profile: Profile,
    options: dict[str, object],
    output: str,
) -> None:
    """Have a service solve it."""
    import json
    from decimal import Decimal

    from nobubble_cli.remote.service import Service
    from nobubble_cli.remote.solving import solve_remotely

    with Progress() as progress:
        text = solve_remotely(Service(server, token, source), profile, options, progress)
    write_output(output, text)
    if output != "-":
        for line in summary(json.loads(text, parse_float=Decimal), written_to=output):
            say(line)
