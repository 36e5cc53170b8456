"""``nobubble solve``: find a schedule."""

from __future__ import annotations

from typing import Annotated

import typer

from nobubble_cli.client.address import Address, server_option, token_option
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
from nobubble_cli.solve_options import (
    EffortOption,
    IgnoreMemoryLimitOption,
    MethodOption,
    SeedOption,
    SolveOptions,
    TimeLimitOption,
    solve_here,
)
from nobubble_cli.summary import summary


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
    method: MethodOption = "auto",
    effort: EffortOption = "normal",
    seed: SeedOption = 0,
    time_limit: TimeLimitOption = None,
    objective: ObjectiveOption = None,
    microbatches: MicrobatchesOption = None,
    memory_limit: MemoryLimitOption = None,
    placement: PlacementOption = None,
    ignore_memory_limit: IgnoreMemoryLimitOption = False,
    server: Annotated[
        str | None,
        server_option("SOLVE", "Have the service at this address solve; '' is this machine."),
    ] = None,
    token: Annotated[str | None, token_option("SOLVE")] = None,
) -> None:
    """Find a schedule for a profile and write it as JSON.

    \b
    Example:
      nobubble solve profile.json -o schedule.json --memory-limit 9920
    """  # noqa: D301
    options = SolveOptions.of(method, effort, seed, time_limit, ignore_memory_limit)
    keys = overrides(objective, microbatches, memory_limit, placement)
    address = Address.if_given(server, token)
    check_output(output)
    read = read_profile_with(profile, keys)

    with Progress() as progress:
        if address is None:
            answer = solve_here(read, options, progress)
        else:
            from nobubble_cli.client.solving import solve_at

            answer = solve_at(address, read, options, progress, source=profile, output=output)
    write_output(output, answer.text)
    if output != "-":
        for line in summary(answer.document, written_to=output):
            say(line)
