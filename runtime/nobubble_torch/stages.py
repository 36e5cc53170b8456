"""Whether the stages built on this rank are those that the schedule places there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch.distributed as dist
from torch.distributed.pipelining.stage import _PipelineStageBase

from nobubble_torch.document import Schedule
from nobubble_torch.errors import StageError


def check_stages(schedule: Schedule, stages: Sequence[Any], group: Any) -> None:
    """Check number, kind, indices and order of the stages of this rank.

    Raises
    ------
    StageError
        PyTorch would hang with them, or fail in the middle of a step.
    """
    rank, size = dist.get_rank(group), dist.get_world_size(group)
    ranks, count = len(schedule.rows), len(schedule.placement)
    if size != ranks:
        raise StageError(
            f"{schedule.name} is for {ranks} ranks, and the process group has {size}; start "
            f"{ranks} processes, or give the group of the pipeline's ranks to the stages"
        )
    due = schedule.stages_of(rank)
    for stage in stages:
        if not isinstance(stage, _PipelineStageBase):
            raise StageError(
                f"rank {rank}: a stage is a PipelineStage, and this is a {type(stage).__name__}; "
                "wrap the module: PipelineStage(module, stage_index, num_stages, device)"
            )
        if dist.get_world_size(stage.group) != size or dist.get_rank(stage.group) != rank:
            raise StageError(f"rank {rank}: stage {stage.stage_index} is of another process group")
        if stage.num_stages != count:
            raise StageError(
                f"rank {rank}: stage {stage.stage_index} is built as one of {stage.num_stages} "
                f"stages; the schedule has {count}"
            )
    given = [stage.stage_index for stage in stages]
    if given == due:
        return
    if sorted(given) == due:
        raise StageError(
            f"rank {rank}: the stages come in the order {given}; give them ascending: {due}"
        )
    raise StageError(
        f"rank {rank}: the stages built here are {given}, and the schedule's placement "
        f"{list(schedule.placement)} has {due} here; build those"
    )
