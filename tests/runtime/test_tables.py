"""Tests that the tables which import is tested with are those that this PyTorch dumps."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from torch.distributed.pipelining import schedules
from torch.distributed.pipelining.stage import _PipelineStageBase

from tests.imports.tables import dumped

RANKS, MICROBATCHES = 2, 4
CASES = {
    "bfs": (schedules.ScheduleLoopedBFS, (0, 2), {}),
    "interleaved": (schedules.ScheduleInterleaved1F1B, (0, 2), {}),
    "interleaved-zero-bubble": (schedules.ScheduleInterleavedZeroBubble, (0, 2), {}),
    "zbv": (schedules.ScheduleZBVZeroBubble, (0, 3), {}),
    "zbv-deferred": (schedules.ScheduleZBVZeroBubble, (0, 3), {"defer_pp_recv": True}),
    "dualpipev": (schedules.ScheduleDualPipeV, (0, 3), {}),
}


def stage(index: int) -> Mock:
    """Give a stage of rank 0; no process group is needed to order its actions."""
    made = Mock(spec=_PipelineStageBase)
    made.group_size, made.group_rank = RANKS, 0
    made.num_stages, made.stage_index, made.submod = 2 * RANKS, index, None
    made.is_first, made.is_last = index == 0, index == 2 * RANKS - 1
    return made


@pytest.mark.parametrize("name", CASES)
def test_pytorch_dumps_what_is_committed(name: str, tmp_path: Path) -> None:
    """Tests both formats, of every schedule of two stages a rank."""
    kind, stages, options = CASES[name]
    made: Any = kind([stage(at) for at in stages], MICROBATCHES, loss_fn=Mock(), **options)
    for form, suffix in (("compute_comms", "comms.csv"), ("compute_only", "csv")):
        if name == "zbv-deferred" and form == "compute_only":
            continue
        file = tmp_path / f"{name}.{suffix}"
        made._dump_csv(str(file), format=form)
        assert file.read_text() == dumped(file.name)
