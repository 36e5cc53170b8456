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

    from nobubble.bounds.report import bounds_report
    from nobubble.schedule.writing import json_text

    write_stdout(json_text(bounds_report(read)))
