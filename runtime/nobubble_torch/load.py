"""A schedule and this rank's stages become a runtime that is ready for its first step."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nobubble_torch.agreement import agree
from nobubble_torch.checks import check_schedule
from nobubble_torch.document import Schedule, actions_sha256, parse
from nobubble_torch.errors import NobubbleTorchError, ScheduleError
from nobubble_torch.losses import settled_scale
from nobubble_torch.post_validation import PostValidation
from nobubble_torch.requirements import check_post_validation, check_requirements
from nobubble_torch.runtime import ScheduleRuntime
from nobubble_torch.source import read_source
from nobubble_torch.stages import check_stages


def load(
    source: str | os.PathLike[str] | Mapping[str, Any],
    stages: Sequence[Any],
    *,
    loss_fn: Callable[..., Any] | None,
    scale_grads: bool | None = None,
    microbatches: int | None = None,
    group: Any = None,
    token: str | None = None,
    post_validation: PostValidation | None = None,
    synchronous: bool = False,
    defer_pp_recv: bool = False,
    **options: Any,
) -> ScheduleRuntime:
    """Load a schedule for this rank's stages. Every rank of the pipeline calls it.

    Parameters
    ----------
    source : str, path or mapping
        A schedule: a file, an address of the service (``https://host/v1/schedules/HASH``), or the
        document itself.
    stages : sequence of PipelineStage
        Those that the schedule's placement has on this rank, ascending.
    loss_fn : callable
        Of output and target of a microbatch; on every rank.
    scale_grads : bool, optional
        Whether gradients are divided by the number of microbatches: True for a loss that is a
        mean, False for a sum. Found from ``loss_fn.reduction`` where it has one, else required.
    microbatches : int, optional
        What the training loop counts on; checked against the schedule.
    group : ProcessGroup, optional
        The ranks of the pipeline; by default the first stage's.
    token : str, optional
        Of the service, where it asks for one.
    post_validation : PostValidation, optional
        What this rank steps with, for a schedule that requires it, or any other.
    synchronous : bool
        Run such a schedule without, though it then costs its makespan.
    defer_pp_recv : bool
        Refused: the schedule says where every receive stands.
    **options : Any
        What PyTorch's runtime class takes besides: ``args_chunk_spec``, ``kwargs_chunk_spec``,
        ``output_merge_spec``, ``backward_requires_autograd``.

    Returns
    -------
    ScheduleRuntime
        PyTorch's `_PipelineScheduleRuntime`, ready for ``step``.

    Raises
    ------
    NobubbleTorchError
        Whatever would hang, fail later or go wrong without a word; on all ranks when on one.
    """
    group = stages[0].group if group is None and stages and hasattr(stages[0], "group") else group
    prepared: tuple[Schedule, bool] | None = None
    error: NobubbleTorchError | None = None
    try:
        name, data = read_source(source, token)
        schedule = parse(data, name)
        check_schedule(schedule)
        check_stages(schedule, stages, group)
        _check_count(schedule, microbatches)
        _check_receives(schedule, defer_pp_recv)
        check_requirements(schedule, post_validation, synchronous)
        check_post_validation(post_validation, stages)
        prepared = schedule, settled_scale(loss_fn, scale_grads)
    except NobubbleTorchError as found:
        error = found
    agree(prepared and _to_agree_on(*prepared, post_validation), error, group)
    assert prepared is not None
    schedule, scale = prepared
    return ScheduleRuntime(
        schedule,
        list(stages),
        post_validation=post_validation,
        loss_fn=_scaled(loss_fn, post_validation),
        scale_grads=scale,
        **options,
    )


def _scaled(
    loss_fn: Callable[..., Any] | None, post_validation: PostValidation | None
) -> Callable[..., Any] | None:
    """Give the loss function whose gradients are scaled, where there is a loss scale."""
    if loss_fn is None or post_validation is None or post_validation.loss_scale is None:
        return loss_fn
    return post_validation.loss_scale.scaled(loss_fn)


def _to_agree_on(
    schedule: Schedule, scale: bool, post_validation: PostValidation | None
) -> dict[str, object]:
    return {
        "SHA-256 of the schedule's actions": actions_sha256(schedule.rows),
        "scale_grads": scale,
        "post-validation": post_validation is not None,
    }


def _check_count(schedule: Schedule, microbatches: int | None) -> None:
    if microbatches is not None and microbatches != schedule.microbatches:
        raise ScheduleError(
            f"{schedule.name} has {schedule.microbatches} microbatches, and the training loop "
            f"{microbatches}; solve again with --microbatches {microbatches}"
        )


def _check_receives(schedule: Schedule, defer_pp_recv: bool) -> None:
    if defer_pp_recv:
        raise ScheduleError(
            f"defer_pp_recv moves the receives of {schedule.name} out of the order of the sends, "
            "and where ranks have several stages messages are then taken for each other without a "
            "word; leave it out: receives stand where they are safe"
        )
