"""Orders of ops to measure under, for any placement."""

from __future__ import annotations

from collections.abc import Sequence

from torch.distributed.pipelining.schedules import _Action

from nobubble_torch.lowering import IN_TORCH


def plain_order(
    placement: Sequence[int], microbatches: int, *, split: bool, in_flight: int | None
) -> dict[int, list[_Action]]:
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
    dict of int to list of _Action
        Of every rank, for PyTorch's runtime, without communication.
    """
    stages, ranks = len(placement), max(placement) + 1
    held = [min(stages - stage, in_flight or stages) for stage in range(stages)]
    forward, backward = [0] * stages, [0] * stages
    order: dict[int, list[_Action]] = {rank: [] for rank in range(ranks)}
    while min(backward) < microbatches:
        before_forward, before_backward = list(forward), list(backward)

        def backward_can_run(stage: int) -> bool:
            above = before_forward if stage == stages - 1 else before_backward
            source = stage if stage == stages - 1 else stage + 1
            return backward[stage] < min(above[source], before_forward[stage])

        def forward_can_run(stage: int) -> bool:
            ready = microbatches if stage == 0 else before_forward[stage - 1]
            return forward[stage] < ready and forward[stage] - backward[stage] < held[stage]

        for rank in range(ranks):
            mine = [stage for stage in range(stages - 1, -1, -1) if placement[stage] == rank]
            stage = next((stage for stage in mine if backward_can_run(stage)), None)
            if stage is not None:
                ops = ("B", "W") if split else ("BW",)
                order[rank] += [_Action(stage, IN_TORCH[op], backward[stage]) for op in ops]
                backward[stage] += 1
                continue
            stage = next((stage for stage in mine if forward_can_run(stage)), None)
            if stage is not None:
                order[rank].append(_Action(stage, IN_TORCH["F"], forward[stage]))
                forward[stage] += 1
    return order
