"""The action tables of torch.distributed.pipelining: a row for every rank, no times.

An action is stage, type and microbatch: ``2F0``, ``1I3``. PyTorch's I is our B (the input
gradient), its W our W, and its B our BW (both at once).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from nobubble.schedule.document import ScheduleDocument

_TYPES: Final = {"F": "F", "B": "I", "W": "W", "BW": "B"}
_GRADIENTS: Final = ("W", "BW")


def torch_csv(document: ScheduleDocument) -> str:
    """Write the ops alone (PyTorch's ``compute_only``); PyTorch adds the communication.

    That is what torchtitan reads as ``pipeline_parallel_schedule_csv``.
    """
    return _table(
        [
            f"{action['stage']}{_TYPES[action['op']]}{action['microbatch']}"
            for action in rank["actions"]
            if action["op"] in _TYPES
        ]
        for rank in document["ranks"]
    )


def torch_csv_comms(document: ScheduleDocument) -> str:
    """Write ops and communication (PyTorch's ``compute_comms``).

    Sends and receives stand where the schedule has them, in an order that is safe for every pair
    of ranks; each stage's gradients are reduced after its last op that adds to them.
    """
    return _table(list(_with_comms(rank)) for rank in document["ranks"])


def _with_comms(rank: object) -> Iterator[str]:
    assert isinstance(rank, dict)
    actions = rank["actions"]
    last = {action["stage"]: at for at, action in enumerate(actions) if action["op"] in _GRADIENTS}
    for at, action in enumerate(actions):
        stage, op = action["stage"], action["op"]
        yield f"{stage}{_TYPES.get(op, op)}{action['microbatch']}"
        if last.get(stage) == at:
            yield f"{stage}REDUCE_GRAD"


def _table(rows: Iterator[list[str]]) -> str:
    return "".join(",".join(row) + "\n" for row in rows)
