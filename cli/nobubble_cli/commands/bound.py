"""``nobubble bound``: what no schedule can beat."""

from __future__ import annotations

from nobubble_cli.output import write_stdout
from nobubble_cli.overrides import (
    MemoryLimitOption,
    MicrobatchesOption,
    ObjectiveOption,
    PlacementOption,
    ProfilePath,
    overrides,
    read_profile_with,
)


def bound(
    profile: ProfilePath,
    objective: ObjectiveOption = None,
    microbatches: MicrobatchesOption = None,
    memory_limit: MemoryLimitOption = None,
    placement: PlacementOption = None,
) -> None:
    """Print the lower bounds of a profile: no schedule can cost less.

    \b
    Example:
      nobubble bound profile.json --objective rank_span
    """  # noqa: D301
    read = read_profile_with(profile, overrides(objective, microbatches, memory_limit, placement))

    from nobubble.bounds.best import lower_bounds
    from nobubble.problem import Problem
    from nobubble.profile.canonical import profile_sha256
    from nobubble.schedule.writing import json_text
    from nobubble.solvers.memory import require_feasible
    from nobubble.units import TIME_UNITS, in_unit

    problem = Problem.of(read)
    require_feasible(read, problem)
    bounds = lower_bounds(problem)
    best = max(bounds, key=lambda bound: bound.value)
    size = TIME_UNITS[read.time_unit]
    write_stdout(
        json_text(
            {
                "profile": read.name,
                "profile_sha256": profile_sha256(read),
                "objective": read.objective,
                "time_unit": read.time_unit,
                "lower_bound": in_unit(best.value, size),
                "bound": best.name,
                "bounds": {bound.name: in_unit(bound.value, size) for bound in bounds},
            }
        )
    )
