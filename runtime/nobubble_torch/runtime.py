"""PyTorch's runtime with a schedule in it, which checks what every step is given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch.distributed.pipelining.schedules import (
    _Action,
    _ComputationType,
    _PipelineScheduleRuntime,
)

from nobubble_torch.document import Schedule
from nobubble_torch.errors import BatchError
from nobubble_torch.lowering import lowered
from nobubble_torch.post_validation import PostValidation
from nobubble_torch.state import Before
from nobubble_torch.warm_up import warm_up

_OF_BACKWARD = frozenset(
    {
        _ComputationType.FULL_BACKWARD,
        _ComputationType.BACKWARD_INPUT,
        _ComputationType.BACKWARD_WEIGHT,
        _ComputationType.SEND_B,
        _ComputationType.RECV_B,
        _ComputationType.REDUCE_GRAD,
    }
)


class ScheduleRuntime(_PipelineScheduleRuntime):
    """Runs a schedule: `step` for training, `eval` for forward only, as PyTorch's own do.

    Parameters
    ----------
    schedule : Schedule
        Checked.
    stages : list of PipelineStage
        Of this rank, checked.
    post_validation : PostValidation or None
        What this rank steps with, unless it steps after all ranks are done.
    **options : Any
        What PyTorch's class takes: ``loss_fn``, ``scale_grads``, ``args_chunk_spec`` and others.
    """

    pipeline_order_with_comms: dict[int, list[_Action]]

    def __init__(
        self,
        schedule: Schedule,
        stages: list[Any],
        *,
        post_validation: PostValidation | None,
        **options: Any,
    ) -> None:
        super().__init__(stages, schedule.microbatches, **options)
        self.schedule = schedule
        self.post_validation = post_validation
        self._prepare_schedule_with_comms(lowered(schedule), format="compute_comms")
        self._ahead = 0
        if post_validation is not None:
            ahead = warm_up(schedule)[self.rank]
            self._ahead = _place_after(self.pipeline_order_with_comms[self.rank], ahead)

    def step(self, *args: Any, target: Any = None, **kwargs: Any) -> Any:
        """Run one iteration on the whole batch; see PyTorch's `step`.

        Raises
        ------
        BatchError
            The batch cannot be split into equal microbatches, or an input or target is missing.
        """
        self._check_batch(args, kwargs, target)
        return super().step(*args, target=target, **kwargs)

    def _step_microbatches(
        self,
        arg_mbs: list[Any] | None = None,
        kwarg_mbs: list[Any] | None = None,
        target_mbs: list[Any] | None = None,
        losses: list[Any] | None = None,
        return_outputs: bool = True,
        loss_kwargs: dict[str, Any] | None = None,
    ) -> None:
        """Run all actions; where the last step is to be validated, the warm-up first."""

        def run(begin: int, end: int | None, losses: list[Any] | None) -> None:
            with self._only(slice(begin, end)):
                super(ScheduleRuntime, self)._step_microbatches(
                    arg_mbs, kwarg_mbs, target_mbs, losses, return_outputs, loss_kwargs=loss_kwargs
                )

        validating = self.post_validation
        if validating is None or not validating.is_pending or not self._has_backward:
            run(0, None, losses)
            return
        before = Before(self._stages)
        run(0, self._ahead, None)
        if validating.validate():
            self._forget_warm_up()
            before.put_back()
            run(0, self._ahead, None)
        run(self._ahead, None, losses)

    @contextmanager
    def _only(self, part: slice) -> Iterator[None]:
        """Let PyTorch run a part of this rank's actions."""
        everything = self.pipeline_order_with_comms
        row = everything[self.rank][part]
        self.pipeline_order_with_comms = {**everything, self.rank: row}
        try:
            yield
        finally:
            self.pipeline_order_with_comms = everything

    def _forget_warm_up(self) -> None:
        """Throw away what was computed with parameters that have changed since."""
        for messages in self.fwd_recv_ops.values():
            for message in messages:
                message.wait()
        self.fwd_recv_ops.clear()
        for stage in self._stages:
            stage.clear_runtime_states()

    def eval(self, *args: Any, target: Any = None, **kwargs: Any) -> Any:
        """Run forward only on the whole batch; see PyTorch's `eval`.

        The backwards are left out, in which PyTorch fails where two neighbouring stages are on
        one rank.
        """
        if self.post_validation is not None:
            self.post_validation.flush()
        everything = self.pipeline_order_with_comms
        self.pipeline_order_with_comms = {
            rank: [action for action in row if action.computation_type not in _OF_BACKWARD]
            for rank, row in everything.items()
        }
        try:
            return super().eval(*args, target=target, **kwargs)
        finally:
            self.pipeline_order_with_comms = everything

    def _check_batch(self, args: tuple[Any, ...], kwargs: dict[str, Any], target: Any) -> None:
        """Check this before any rank waits for a message that would never come, or not fit."""
        if self._stages[0].is_first and not (args or kwargs):
            raise BatchError(
                f"rank {self.rank} has stage 0 and was given no input: step(inputs, ...) here"
            )
        if self._stages[-1].is_last and target is None:
            raise BatchError(
                f"rank {self.rank} has the last stage and was given no target: step(target=...)"
            )
        if self._args_chunk_spec is None:
            for place, value in enumerate(args):
                self._check_split(value, f"input {place}")
        if self._kwargs_chunk_spec is None:
            for name, value in kwargs.items():
                self._check_split(value, f"input {name}")
        self._check_split(target, "target")

    def _check_split(self, value: Any, what: str) -> None:
        if not isinstance(value, torch.Tensor):
            return
        size, m = (value.shape[0] if value.ndim else 0), self._n_microbatches
        if size == 0 or size % m:
            raise BatchError(
                f"rank {self.rank}: {what} has {size} samples (its first dimension), which do not "
                f"split into {m} equal microbatches; give a multiple of {m}"
            )


def _place_after(row: Sequence[_Action], count: int) -> int:
    """Give the place after so many ops and transfers, before what PyTorch adds for the next."""
    if count == 0:
        return 0
    left = count
    for place, action in enumerate(row):
        left -= action.microbatch_index is not None
        if left == 0:
            return place + 1
    return len(row)
