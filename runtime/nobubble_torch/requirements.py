"""Whether this run offers what the schedule requires."""

from __future__ import annotations

from nobubble_torch.document import Schedule
from nobubble_torch.errors import RequirementError


def check_requirements(schedule: Schedule, post_validation: object, synchronous: bool) -> None:
    """Check that post-validation is there where the schedule was made for it.

    Raises
    ------
    RequirementError
        It is not, or the schedule requires something unknown. Says what that costs.
    """
    unknown = [it for it in schedule.requires if it != "post_validation"]
    if unknown:
        raise RequirementError(
            f"{schedule.name} requires {', '.join(unknown)}, which this version does not offer"
        )
    if not schedule.requires or post_validation or synchronous:
        return
    span, makespan, unit = schedule.rank_span, schedule.makespan, schedule.time_unit
    more = f", {makespan / span - 1:.1%} more" if span else ""
    raise RequirementError(
        f"{schedule.name} was made for rank span: every rank begins the next iteration as soon as "
        f"it has finished its own, in {span:g} {unit}. With an optimizer step that waits for all "
        f"ranks an iteration takes its makespan instead, {makespan:g} {unit}{more}. Step with "
        "nobubble_torch.post_validation and give it as post_validation=; or say synchronous=True "
        'to run it so all the same; or solve for "objective": "makespan"'
    )
