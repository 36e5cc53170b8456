"""How long a message takes between neighbouring stages."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import torch
import torch.distributed as dist

_WARM_UP: Final = 5
_ROUNDS: Final = 21


def communication(
    placement: Sequence[int],
    sizes: Sequence[tuple[int, int]],
    group: Any,
    device: torch.device,
) -> list[tuple[int, int]]:
    """Send messages there and back between the ranks of neighbouring stages; all ranks call it.

    A message of one byte there and back takes twice the latency; one of full size there, and one
    byte back, the latency once and what is looked for.

    Parameters
    ----------
    placement : sequence of int
    sizes : sequence of (int, int)
        Bytes of activations and of gradients between stage s and s + 1, for every s.
    group : ProcessGroup or None
    device : torch.device

    Returns
    -------
    list of (int, int)
        The time of activations and of gradients, in ns, as the lower rank-side of the link
        measured them: filled in on the rank of stage s, 0 elsewhere and within a rank.
    """
    here = dist.get_rank(group)
    times = []
    for (first, second), (forward, backward) in zip(pairwise(placement), sizes, strict=True):
        found = (0, 0)
        if first != second and here in (first, second):
            peer = second if here == first else first
            link = _Link(group, device, peer, begins=here == first)
            latency = link.round_trip(1, 1) // 2
            found = (
                max(latency, link.round_trip(forward, 1) - latency),
                max(latency, link.round_trip(1, backward) - latency),
            )
        times.append(found if here == first else (0, 0))
    return times


class _Link:
    """One side of a link between two ranks."""

    def __init__(self, group: Any, device: torch.device, peer: int, *, begins: bool) -> None:
        self._group, self._device, self._peer, self._begins = group, device, peer, begins

    def round_trip(self, there: int, back: int) -> int:
        """Send so many bytes there and back; give the median time, in ns."""
        out, home = (
            torch.zeros(max(1, size), dtype=torch.uint8, device=self._device)
            for size in (there, back)
        )
        times = []
        for _ in range(_WARM_UP + _ROUNDS):
            before = time.perf_counter_ns()
            if self._begins:
                dist.send(out, group=self._group, group_dst=self._peer)
                dist.recv(home, group=self._group, group_src=self._peer)
            else:
                dist.recv(out, group=self._group, group_src=self._peer)
                dist.send(home, group=self._group, group_dst=self._peer)
            if self._device.type == "cuda":
                torch.cuda.synchronize(self._device)
            times.append(time.perf_counter_ns() - before)
        return statistics.median_low(times[_WARM_UP:])


def sizes_received(stages: Sequence[Any]) -> dict[tuple[str, int], int]:
    """Give the bytes that a rank's stages receive for a microbatch, by way and stage."""
    return {
        (way, stage.stage_index): sum(
            info.buffer.numel() * info.buffer.element_size()
            for info in infos[0]
            if info.buffer is not None
        )
        for stage in stages
        for way, infos in (("F", stage.args_recv_info), ("B", stage.grad_recv_info))
    }
