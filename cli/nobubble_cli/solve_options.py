"""The options that say how to solve, for every command that has something solved."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from nobubble.compiled.loading import load_kernels
from nobubble.methods import EFFORTS, METHODS, Effort
from nobubble_cli.choices import a_method, one_of
from nobubble_cli.progress import Progress

if TYPE_CHECKING:
    from nobubble.profile.model import Profile
    from nobubble.schedule.document import ScheduleDocument

MethodOption = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="|".join(METHODS),
        help="How to find the schedule; auto: heuristics, search, CP-SAT on small problems.",
    ),
]
EffortOption = Annotated[
    str,
    typer.Option(
        "--effort",
        metavar="|".join(EFFORTS),
        help="How much work goes into it: heuristics only, a second or so, a minute.",
    ),
]
SeedOption = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, max=2**32 - 1, help="Seed of the search.")
]
TimeLimitOption = Annotated[
    float | None,
    typer.Option("--time-limit", metavar="SECONDS", help="Stop searching after this long."),
]
IgnoreMemoryLimitOption = Annotated[
    bool,
    typer.Option("--ignore-memory-limit", help="Solve as if the profile had no memory limit."),
]


@dataclass(frozen=True, slots=True)
class SolveOptions:
    """How to solve; see `nobubble.solve.solve`."""

    method: str = "auto"
    effort: Effort = "normal"
    seed: int = 0
    time_limit: float | None = None
    ignore_memory_limit: bool = False

    @classmethod
    def of(
        cls,
        method: str,
        effort: str,
        seed: int,
        time_limit: float | None,
        ignore_memory_limit: bool = False,
    ) -> SolveOptions:
        """Check what was given on the command line.

        Raises
        ------
        typer.BadParameter
            A word is not allowed, or the time limit is no time.
        """
        a_method(method)
        one_of(effort, EFFORTS, "--effort")
        check_time_limit(time_limit)
        return cls(method, cast(Effort, effort), seed, time_limit, ignore_memory_limit)

    def recorded(self) -> dict[str, Any]:
        """Give what a schedule says of them, in ``generator.options``."""
        ignored = {"ignore_memory_limit": True} if self.ignore_memory_limit else {}
        return {"method": self.method, "effort": self.effort, "seed": self.seed, **ignored}

    def profile_solved(self, profile: Profile) -> Profile:
        """Give the profile that a schedule made with these options is one of."""
        if not self.ignore_memory_limit:
            return profile
        return replace(profile, memory_limit=(None,) * profile.ranks)


def check_time_limit(time_limit: float | None) -> float | None:
    """Give the time limit, if it is a time.

    Raises
    ------
    typer.BadParameter
        It is not.
    """
    if time_limit is not None and not (math.isfinite(time_limit) and time_limit > 0):
        raise typer.BadParameter(
            f"{time_limit} is not a number of seconds above 0", param_hint="'--time-limit'"
        )
    return time_limit


@dataclass(frozen=True, slots=True)
class Answer:
    """A verified schedule.

    Attributes
    ----------
    document : ScheduleDocument
    text : str
        It as JSON: what is written to a file.
    """

    document: ScheduleDocument
    text: str


def solve_here(profile: Profile, options: SolveOptions, progress: Progress) -> Answer:
    """Find a schedule on this machine; raises what `nobubble.solve.solve` does."""
    with progress.loading_kernels():
        load_kernels()

    from nobubble.schedule.writing import json_text
    from nobubble.solve import solve

    document = solve(
        profile,
        method=options.method,
        effort=options.effort,
        seed=options.seed,
        time_limit=options.time_limit,
        ignore_memory_limit=options.ignore_memory_limit,
        progress=progress,
    )
    return Answer(document, json_text(document))
