"""Where the ranks of a schedule wait."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nobubble.schedule.document import ScheduleDocument

_TOLD = 8


def waits(document: ScheduleDocument) -> list[str]:
    """Say how long every rank waits between its first op and its last, and before which op most.

    Parameters
    ----------
    document : ScheduleDocument
        Valid. Of many ranks, those that wait longest are told.
    """
    unit = document["profile"]["time_unit"]
    ranks = [(rank["rank"], _gaps(rank["actions"])) for rank in document["ranks"]]
    waiting = [(rank, gaps) for rank, gaps in ranks if gaps]
    if not waiting:
        return ["nowhere between the first op of a rank and its last"]
    longest = sorted(waiting, key=lambda row: -sum(gap for gap, _ in row[1]))[:_TOLD]
    lines = []
    for rank, gaps in sorted(longest):
        # Of equal ones the first.
        most, before = max(gaps, key=lambda gap: gap[0])
        total = sum((gap for gap, _ in gaps), start=Decimal(0)).normalize()
        places = "one place" if len(gaps) == 1 else f"{len(gaps)} places"
        lines.append(
            f"rank {rank}: {total:f} {unit} in {places}, the longest {most:f} {unit} before "
            f"{before}"
        )
    if len(waiting) > len(longest):
        lines.append(f"and {len(waiting) - len(longest)} more ranks, less each")
    return lines


def _gaps(actions: list[Any]) -> list[tuple[Decimal, str]]:
    """Give the waits of a rank, each with the op that it is for."""
    gaps = []
    free: Decimal | None = None
    for action in actions:
        if "start" not in action:
            continue
        start = Decimal(str(action["start"]))
        if free is not None and start > free:
            op = f"{action['op']}({action['stage']}, {action['microbatch']})"
            gaps.append(((start - free).normalize(), op))
        free = Decimal(str(action["end"]))
    return gaps
