"""Whether all ranks were given the same, before any of them starts to wait for another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch.distributed as dist

from nobubble_torch.errors import DisagreementError, NobubbleTorchError


def agree(mine: Mapping[str, object] | None, error: NobubbleTorchError | None, group: Any) -> None:
    """Compare over the ranks; every rank of the group calls it, also one that found an error.

    Parameters
    ----------
    mine : mapping of str to object, or None
        What is to be the same on all ranks, by what messages call it; None with an error.
    error : NobubbleTorchError or None
        What this rank found.
    group : ProcessGroup or None
        The ranks of the pipeline.

    Raises
    ------
    NobubbleTorchError
        `error`, on the rank that has one.
    DisagreementError
        Another rank has one, or has something else.
    """
    gathered: list[Any] = [None] * dist.get_world_size(group)
    dist.all_gather_object(gathered, (mine, None if error is None else str(error)), group=group)
    if error is not None:
        raise error
    failed = {rank: text for rank, (_, text) in enumerate(gathered) if text is not None}
    if failed:
        told = "; ".join(f"rank {rank}: {text}" for rank, text in failed.items())
        raise DisagreementError(f"another rank cannot run the schedule: {told}")
    for key in mine or {}:
        values: dict[object, list[int]] = {}
        for rank, (theirs, _) in enumerate(gathered):
            values.setdefault(theirs[key], []).append(rank)
        if len(values) > 1:
            told = "; ".join(f"{_ranks(ranks)}: {value}" for value, ranks in values.items())
            raise DisagreementError(
                f"the ranks were given different things, and would wait for each other for ever or "
                f"mix up what they send. {key}: {told}"
            )


def _ranks(ranks: list[int]) -> str:
    return f"rank{'s' * (len(ranks) > 1)} {', '.join(map(str, ranks))}"
