"""Recording a runtime's steps, on all ranks, into one document."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from nobubble_torch.clocks import clock_of
from nobubble_torch.document import actions_sha256
from nobubble_torch.lowering import raised
from nobubble_torch.observing import observed
from nobubble_torch.recording.offsets import Offset, estimated_offset, share_a_clock
from nobubble_torch.recording.recorder import Recorder
from nobubble_torch.recording.run_document import run_document


class Recording:
    """What was recorded; complete once the ``with`` block of `record` has ended."""

    def __init__(self) -> None:
        self.document: dict[str, Any] = {}
        """The `nobubble.run/1` of all ranks; the same on every rank."""

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write it as JSON, an action a line: on rank 0 alone, or wherever it is wanted."""
        Path(path).write_text(_text(self.document), encoding="utf-8")


@contextmanager
def record(runtime: Any, *, discard: int = 1) -> Iterator[Recording]:
    """Record when this rank starts and ends every action. Every rank of the pipeline calls it.

    Recording costs some microseconds an action. On a GPU every recorded step begins and ends by
    waiting for it.

    Parameters
    ----------
    runtime : ScheduleRuntime or _PipelineScheduleRuntime
        As `load` gives it, or with a schedule of PyTorch's.
    discard : int
        How many steps to leave out first: the first one sets up connections and buffers.

    Yields
    ------
    Recording
        Filled at the end of the block, when all ranks have come to it.
    """
    stage = runtime._stages[0]
    group, device = stage.group, torch.device(stage.device)
    placement = [rank for _, rank in sorted(runtime.stage_index_to_group_rank.items())]
    shared = share_a_clock(group)
    at_first = Offset(0, 0) if shared else estimated_offset(group, device)
    recorder = Recorder(clock_of(device), placement, discard)
    recording = Recording()
    with observed(runtime, recorder):
        yield recording
    at_last = Offset(0, 0) if shared else estimated_offset(group, device)
    everything: list[Any] = [None] * dist.get_world_size(group)
    dist.all_gather_object(everything, (recorder.steps, at_first, at_last), group=group)
    schedule = getattr(runtime, "schedule", None)
    recording.document = run_document(
        [steps for steps, _, _ in everything],
        [(first, last) for _, first, last in everything],
        schedule={
            "actions_sha256": actions_sha256(raised(runtime.pipeline_order_with_comms, placement)),
            "profile_sha256": schedule and schedule.profile_sha256,
        },
        microbatches=runtime._n_microbatches,
        placement=placement,
        shared=shared,
    )


def _text(value: Any, indent: str = "") -> str:
    """Write JSON with an object or list that holds no other on one line."""
    inner = indent + " "
    members = value.values() if isinstance(value, dict) else value
    if not any(isinstance(member, dict | list) for member in members):
        return json.dumps(value)
    if isinstance(value, dict):
        pieces = [
            f"{inner}{json.dumps(key)}: {_member(member, inner)}" for key, member in value.items()
        ]
        return "{\n" + ",\n".join(pieces) + f"\n{indent}}}"
    return "[\n" + ",\n".join(inner + _member(member, inner) for member in value) + f"\n{indent}]"


def _member(value: Any, indent: str) -> str:
    return _text(value, indent) if isinstance(value, dict | list) else json.dumps(value)
