"""Whether a schedule can run: every op once and in order, every transfer once and at its peer.

PyTorch checks few of these, and what it lets pass hangs, fails in the middle of a step, or gives
wrong gradients or losses without a word.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from nobubble_torch.document import TRANSFERS, Action, Schedule
from nobubble_torch.errors import ScheduleError
from nobubble_torch.meeting import check_meeting

_TOLD: Final = 10


def check_schedule(schedule: Schedule) -> None:
    """Check that a schedule can run, and runs right.

    Raises
    ------
    ScheduleError
        Lists what was found.
    """
    findings = [*_placement(schedule)]
    findings = findings or [*_ops(schedule), *_transfers(schedule)]
    findings = findings or [*_orders(schedule), *_losses(schedule)]
    findings = findings or check_meeting(schedule.rows)
    if findings:
        told = findings[:_TOLD] + [f"and {len(findings) - _TOLD} more"] * (len(findings) > _TOLD)
        raise ScheduleError("\n".join(f"{schedule.name}: {finding}" for finding in told))


def _placement(schedule: Schedule) -> Iterator[str]:
    ranks = len(schedule.rows)
    if schedule.microbatches < 1:
        yield "it has no microbatches; it needs one at least"
    for stage, rank in enumerate(schedule.placement):
        if rank >= ranks:
            yield f"stage {stage} is placed on rank {rank}; ranks are 0 to {ranks - 1}"
    for rank in range(ranks):
        if not schedule.stages_of(rank):
            yield f"rank {rank} has no stage in the placement {list(schedule.placement)}"


def _ops(schedule: Schedule) -> Iterator[str]:
    """Check that every F is there once on its rank, and every backward as B and W, or as BW."""
    seen: dict[Action, int] = {}
    for rank, row in enumerate(schedule.rows):
        for action in row:
            if why := _misplaced(schedule, rank, action):
                yield f"rank {rank}: {action}: {why}"
                return
            seen[action] = seen.get(action, 0) + 1
    for action, times in seen.items():
        if times > 1:
            yield f"rank {schedule.placement[action.stage]}: {action} is there {times} times"
    for stage, rank in enumerate(schedule.placement):
        for microbatch in range(schedule.microbatches):
            there = {op: Action(op, stage, microbatch) in seen for op in ("F", "B", "W", "BW")}
            at = f"({stage}, {microbatch})"
            if not there["F"]:
                yield f"rank {rank}: F{at} is missing"
            if there["BW"] and (there["B"] or there["W"]):
                yield f"rank {rank}: BW{at} is there, and B or W too; the backward would run twice"
            elif not there["BW"] and not (there["B"] and there["W"]):
                yield f"rank {rank}: the backward of {at} is missing; it is B and W, or BW"


def _misplaced(schedule: Schedule, rank: int, action: Action) -> str:
    if action.stage >= len(schedule.placement):
        return f"there is no stage {action.stage}; stages are 0 to {len(schedule.placement) - 1}"
    if action.microbatch >= schedule.microbatches:
        return f"microbatches are 0 to {schedule.microbatches - 1}"
    if schedule.placement[action.stage] != rank:
        return f"stage {action.stage} is on rank {schedule.placement[action.stage]}"
    return ""


def _transfers(schedule: Schedule) -> Iterator[str]:
    """Check that every transfer that is needed is there once with its peer, and no other."""
    there = [{action for action in row if action.op in TRANSFERS} for row in schedule.rows]
    needed: list[set[Action]] = [set() for _ in schedule.rows]
    for stage, (here, after) in enumerate(
        zip(schedule.placement, schedule.placement[1:], strict=False)
    ):
        if here != after:
            for j in range(schedule.microbatches):
                needed[here] |= {
                    Action("SEND_F", stage, j, after),
                    Action("RECV_B", stage, j, after),
                }
                needed[after] |= {
                    Action("RECV_F", stage + 1, j, here),
                    Action("SEND_B", stage + 1, j, here),
                }
    for rank, (has, should) in enumerate(zip(there, needed, strict=True)):
        for action in sorted(should - has):
            yield f"rank {rank}: {action} with rank {action.peer} is missing; that one would hang"
        for action in sorted(has - should):
            yield f"rank {rank}: {action} with rank {action.peer} has nothing to transfer there"


def _orders(schedule: Schedule) -> Iterator[str]:
    """Check that every action comes after what it needs on its rank."""
    for rank, row in enumerate(schedule.rows):
        done: set[tuple[str, int, int]] = set()
        for action in row:
            for way, stage in _needs(schedule, action):
                if (way, stage, action.microbatch) not in done:
                    before = f"{way}({stage}, {action.microbatch})"
                    yield f"rank {rank}: {action} comes before {before}, which it needs"
            if action.op == "SEND_F" and ("B", action.stage, action.microbatch) in done:
                yield f"rank {rank}: {action} comes after the backward, which frees what it sends"
            done.add((action.op, action.stage, action.microbatch))
            if action.op == "BW":
                done.add(("B", action.stage, action.microbatch))


def _needs(schedule: Schedule, action: Action) -> Iterator[tuple[str, int]]:
    """Give op and stage of what an action needs on its own rank; B stands for BW too."""
    placement, stage, last = schedule.placement, action.stage, len(schedule.placement) - 1
    if action.op == "F" and stage > 0:
        yield ("F", stage - 1) if placement[stage - 1] == placement[stage] else ("RECV_F", stage)
    elif action.op in ("B", "BW"):
        yield "F", stage
        if stage < last:
            local = placement[stage + 1] == placement[stage]
            yield ("B", stage + 1) if local else ("RECV_B", stage)
    elif action.op == "W":
        yield "B", stage
    elif action.op in ("SEND_F", "SEND_B"):
        yield action.op[-1], stage


def _losses(schedule: Schedule) -> Iterator[str]:
    """Check that the last stage runs its F's in the order of microbatches.

    PyTorch keeps losses and outputs in the order in which they come, and takes them by microbatch.
    """
    last = len(schedule.placement) - 1
    rank = schedule.placement[last]
    order = [a.microbatch for a in schedule.rows[rank] if a.op == "F" and a.stage == last]
    for place, microbatch in enumerate(order):
        if microbatch != place:
            yield (
                f"rank {rank}: the last stage runs F({last}, {microbatch}) where F({last}, {place})"
                " is due; PyTorch would take the losses of other microbatches, without a word"
            )
            return
