"""A schedule's actions as PyTorch's runtime reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from torch.distributed.pipelining.schedules import (
    _Action,
    _add_reduce_grad,
    _add_unshard_reshard,
    _ComputationType,
)

from nobubble_torch.document import Action, Schedule

Order: TypeAlias = dict[int, list[_Action | None]]
"""The actions of every rank, as PyTorch's runtime takes them."""

IN_TORCH: Final = {
    "F": _ComputationType.FORWARD,
    "B": _ComputationType.BACKWARD_INPUT,
    "W": _ComputationType.BACKWARD_WEIGHT,
    "BW": _ComputationType.FULL_BACKWARD,
    "SEND_F": _ComputationType.SEND_F,
    "RECV_F": _ComputationType.RECV_F,
    "SEND_B": _ComputationType.SEND_B,
    "RECV_B": _ComputationType.RECV_B,
}
"""What PyTorch calls an op: its I is B, and its B is BW."""

_OF_TORCH: Final = {theirs: ours for ours, theirs in IN_TORCH.items()}


def lowered(schedule: Schedule) -> Order:
    """Give all actions of all ranks, as `_prepare_schedule_with_comms` takes them with comms.

    Transfers stay where the schedule has them. What a schedule does not have comes from PyTorch:
    REDUCE_GRAD after the last backward of a stage, which scales its gradients; UNSHARD and
    RESHARD, which do nothing unless a stage is sharded (FSDP).
    """
    return {
        rank: _row([_in_torch(action) for action in row], schedule.microbatches)
        for rank, row in enumerate(schedule.rows)
    }


def raised(
    order: Mapping[int, Sequence[_Action | None]], placement: Sequence[int]
) -> list[list[Action]]:
    """Give the ops and transfers of a runtime's order, in a schedule's words."""
    return [
        [
            Action(op, action.stage_index, action.microbatch_index, _peer(op, action, placement))
            for action in order[rank]
            if action is not None and action.microbatch_index is not None
            if (op := _OF_TORCH.get(action.computation_type)) is not None
        ]
        for rank in sorted(order)
    ]


def _in_torch(action: Action) -> _Action:
    return _Action(action.stage, IN_TORCH[action.op], action.microbatch)


def _row(actions: list[_Action], microbatches: int) -> list[_Action | None]:
    """Put what PyTorch adds to the ops between an op's transfers and the next op."""
    ops: list[_Action | None] = [action for action in actions if action.is_compute_op]
    completed = _add_reduce_grad([*_add_unshard_reshard(ops)], microbatches)
    following: list[list[_Action]] = [[]]
    for action in actions:
        if action.is_compute_op:
            following.append([])
        else:
            following[-1].append(action)
    row: list[_Action | None] = [*following[0]]
    place = 0
    for step in completed:
        row.append(step)
        if step is not None and step.is_compute_op:
            place += 1
            row += following[place]
    return row


def _peer(op: str, action: _Action, placement: Sequence[int]) -> int | None:
    if op in ("SEND_F", "RECV_B"):
        return placement[action.stage_index + 1]
    if op in ("SEND_B", "RECV_F"):
        return placement[action.stage_index - 1]
    return None
