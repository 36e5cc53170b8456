"""Measuring a profile, on all ranks of a pipeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.pipelining.schedules import _PipelineScheduleRuntime

from nobubble_torch.clocks import clock_of
from nobubble_torch.errors import MeasureError
from nobubble_torch.measuring.measured import Measured, RankFigures, assembled
from nobubble_torch.measuring.memory import memory_measured
from nobubble_torch.measuring.orders import plain_order
from nobubble_torch.measuring.ping_pong import communication, sizes_received
from nobubble_torch.measuring.samples import DurationObserver, Held, Key
from nobubble_torch.measuring.static_memory import model_bytes, optimizer_bytes, receive_bytes
from nobubble_torch.observing import observed


def profile(
    stages: Sequence[Any],
    *,
    loss_fn: Callable[..., Any],
    microbatches: int,
    args: tuple[Any, ...] = (),
    kwargs: Mapping[str, Any] | None = None,
    target: Any = None,
    steps: int = 5,
    discard: int = 2,
    in_flight: int | None = None,
    split: bool = True,
    optimizer: torch.optim.Optimizer | None = None,
    memory_limit: int | None = None,
) -> Measured:
    """Measure a profile by running some steps. Every rank of the pipeline calls it.

    The steps compute gradients, never step an optimizer, and leave no gradients behind; random
    number generators move on, and so do running statistics such as those of batch norm.

    Parameters
    ----------
    stages : sequence of PipelineStage
        Of this rank, ascending.
    loss_fn : callable
        Of output and target of a microbatch; its time counts to F of the last stage.
    microbatches : int
        Into how many a batch is split.
    args, kwargs : tuple, mapping
        What a step is given on this rank: `args` where stage 0 is.
    target : Tensor, optional
        Where the last stage is.
    steps : int
        How many are measured, each with every microbatch.
    discard : int
        How many run before that and do not count.
    in_flight : int, optional
        How many microbatches a stage holds at most; by default as 1F1B. With 1 the least memory is
        needed, and ranks hardly work at the same time: choose it where they share what they
        should not share in the run that is planned.
    split : bool
        Measure B and W besides BW. False where the backward cannot be split (torch.compile).
    optimizer : Optimizer, optional
        Its state counts to static memory.
    memory_limit : int, optional
        Of this rank, in bytes: goes into the profile.

    Returns
    -------
    Measured
        The same on every rank.

    Raises
    ------
    MeasureError
        The stages of the ranks do not make up a pipeline.
    """
    group, device = stages[0].group, torch.device(stages[0].device)
    placement = _placement(stages, group)
    runtime = _PipelineScheduleRuntime(
        list(stages), microbatches, loss_fn=loss_fn, scale_grads=False
    )

    def run(count: int) -> None:
        for _ in range(count):
            runtime.step(*args, target=target, **(kwargs or {}))

    durations: dict[Key, list[int]] = {}
    held: dict[Key, list[Held]] = {}
    for is_split in (True, False) if split else (False,):
        order = plain_order(placement, microbatches, split=is_split, in_flight=in_flight)
        runtime._prepare_schedule_with_comms(order)
        run(discard)
        observer = DurationObserver(clock_of(device))
        with observed(runtime, observer):
            run(steps)
        with memory_measured(runtime, device) as found:
            run(1)
        durations = {**observer.durations, **durations}
        held = {**found, **held}
    figures = RankFigures(
        durations=durations,
        held=held,
        static=model_bytes(stages) + receive_bytes(stages) + optimizer_bytes(optimizer),
        times_of_messages=communication(placement, _sizes(stages, group), group, device),
        memory_limit=memory_limit,
    )
    for stage in stages:
        stage.submod.zero_grad(set_to_none=True)
        stage.clear_runtime_states()
    return assembled(_gathered(figures, group), placement, microbatches, split)


def _placement(stages: Sequence[Any], group: Any) -> list[int]:
    indices = _gathered([stage.stage_index for stage in stages], group)
    rank_of = {stage: rank for rank, its in enumerate(indices) for stage in its}
    count = stages[0].num_stages
    if sorted(index for its in indices for index in its) != list(range(count)):
        raise MeasureError(
            f"the ranks have the stages {indices}; of stages 0 to {count - 1} each is needed once"
        )
    return [rank_of[stage] for stage in range(count)]


def _sizes(stages: Sequence[Any], group: Any) -> list[tuple[int, int]]:
    """Give the bytes of activations and gradients on every link."""
    received = {
        key: size for its in _gathered(sizes_received(stages), group) for key, size in its.items()
    }
    count = stages[0].num_stages
    return [(received["F", link + 1], received["B", link]) for link in range(count - 1)]


def _gathered(value: Any, group: Any) -> list[Any]:
    values: list[Any] = [None] * dist.get_world_size(group)
    dist.all_gather_object(values, value, group=group)
    return values
