"""By how much the clocks of the ranks differ."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import torch
import torch.distributed as dist

_ROUNDS: Final = 20


class Offset(NamedTuple):
    """How far a rank's clock is ahead of rank 0's, and by how much that may be wrong, in ns."""

    ahead: int
    uncertainty: int


def share_a_clock(group: Any) -> bool:
    """Say whether all ranks run on one booted machine, whose monotonic clock they all read."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        boot = socket.gethostname()
    boots: list[Any] = [None] * dist.get_world_size(group)
    dist.all_gather_object(boots, boot, group=group)
    return len(set(boots)) == 1


def estimated_offset(
    group: Any, device: torch.device, now: Callable[[], int] = time.perf_counter_ns
) -> Offset:
    """Compare this rank's clock with rank 0's, by messages there and back; all ranks call it.

    Half of the quickest round trip bounds the error (Cristian's algorithm).

    Parameters
    ----------
    group : ProcessGroup or None
    device : torch.device
        Where messages live that the group can send.
    now : callable
        This rank's clock, in ns.
    """
    rank, size = dist.get_rank(group), dist.get_world_size(group)
    message = torch.zeros(1, dtype=torch.int64, device=device)
    best = Offset(0, 0)
    for peer in range(1, size):
        if rank == peer:
            best = min((_ask(message, group, now) for _ in range(_ROUNDS)), key=_uncertainty)
        elif rank == 0:
            for _ in range(_ROUNDS):
                dist.recv(message, group=group, group_src=peer)
                message.item()  # on a GPU, receiving is over only when its value is read
                message.fill_(now())
                dist.send(message, group=group, group_dst=peer)
    return best


def _ask(message: torch.Tensor, group: Any, now: Callable[[], int]) -> Offset:
    before = now()
    dist.send(message, group=group, group_dst=0)
    dist.recv(message, group=group, group_src=0)
    there = int(message.item())
    after = now()
    return Offset((before + after) // 2 - there, (after - before + 1) // 2)


def _uncertainty(offset: Offset) -> int:
    return offset.uncertainty
