"""Orders of ops to measure under, for any placement."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from torch.distributed.pipelining.schedules import _Action

from nobubble_torch.lowering import IN_TORCH, Order


def plain_order(
    placement: Sequence[int], microbatches: int, *, split: bool, in_flight: int | None
) -> Order:
    """Give an order of ops that keeps every rank as busy as a 1F1B does.

    It comes from running ops of one unit of time each: a rank takes a backward where one can run
    (with W right after B where it is split), else the F of its last stage that can.

    Parameters
    ----------
    placement : sequence of int
        The rank of every stage.
    microbatches : int
    split : bool
        B and W, or BW.
    in_flight : int or None
        How many microbatches a stage holds at most between F and backward; never more than there
        are stages from it on, as in 1F1B.

    Returns
    -------
    Order
        Of every rank, for PyTorch's runtime, without communication.
    """
    stages = len(placement)
    held = [min(stages - stage, in_flight or stages) for stage in range(stages)]
    order: Order = {rank: [] for rank in range(max(placement) + 1)}
    now = _Done([0] * stages, [0] * stages)
    while min(now.backward) < microbatches:
        before = _Done([*now.forward], [*now.backward])
        for rank, row in order.items():
            mine = [stage for stage in reversed(range(stages)) if placement[stage] == rank]
            for stage in mine:
                if now.backward[stage] < before.ready_for_backward(stage):
                    ops = ("B", "W") if split else ("BW",)
                    row += [_Action(stage, IN_TORCH[op], now.backward[stage]) for op in ops]
                    now.backward[stage] += 1
                    break
            else:
                for stage in mine:
                    ready = microbatches if stage == 0 else before.forward[stage - 1]
                    here = now.forward[stage] - now.backward[stage]
                    if now.forward[stage] < ready and here < held[stage]:
                        row.append(_Action(stage, IN_TORCH["F"], now.forward[stage]))
                        now.forward[stage] += 1
                        break
    return order


class _Done(NamedTuple):
    """How many forwards and backwards every stage has done."""

    forward: list[int]
    backward: list[int]

    def ready_for_backward(self, stage: int) -> int:
        """Give how many backwards of a stage have their inputs."""
        if stage == len(self.forward) - 1:
            return self.forward[stage]
        return min(self.forward[stage], self.backward[stage + 1])
