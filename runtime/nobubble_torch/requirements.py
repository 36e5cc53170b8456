"""Whether this run offers what the schedule requires."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch.distributed.fsdp import FSDPModule

from nobubble_torch.document import Schedule
from nobubble_torch.errors import RequirementError
from nobubble_torch.post_validation import PostValidation


def check_requirements(schedule: Schedule, post_validation: object, synchronous: bool) -> None:
    """Check that post-validation is there where the schedule was made for it.

    Raises
    ------
    RequirementError
        It is not, or the schedule requires something unknown. Says what that costs.
    """
    if post_validation is not None and not isinstance(post_validation, PostValidation):
        raise RequirementError(
            f"post_validation is a {type(post_validation).__name__}; give the "
            "nobubble_torch.PostValidation that this rank steps with"
        )
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
        "nobubble_torch.PostValidation and give it as post_validation=; or say synchronous=True "
        'to run it so all the same; or solve for "objective": "makespan"'
    )


def check_post_validation(post_validation: PostValidation | None, stages: Sequence[Any]) -> None:
    """Check that what this rank steps with can put its stages right.

    Raises
    ------
    RequirementError
        A stage is sharded, or it steps with none of this rank's parameters.
    """
    if post_validation is None:
        return
    for stage in stages:
        if any(isinstance(module, FSDPModule) for module in stage.submod.modules()):
            raise RequirementError(
                f"stage {stage.stage_index} is sharded (FSDP): its parameters may be gathered "
                "while they would have to be put back; say synchronous=True, and clip before the "
                "step"
            )
    groups = post_validation.optimizer.param_groups
    stepped = {id(parameter) for group in groups for parameter in group["params"]}
    trained = [it for stage in stages for it in stage.submod.parameters() if it.requires_grad]
    if trained and not any(id(parameter) in stepped for parameter in trained):
        raise RequirementError(
            "the optimizer of post_validation has none of the parameters of this rank's stages; "
            "make it from them"
        )
