"""How shares travel: from the first rank to the last, and all of them back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import torch.distributed as dist

from nobubble_torch.post_validation.verdict import Share


class Exchange:
    """Messages of a few numbers between neighbouring ranks, beside those of the pipeline.

    All ranks of the group make one, at the same point: it opens a process group of its own, on
    the CPU, so that its messages get into nobody's way.

    Parameters
    ----------
    group : ProcessGroup or None
        The ranks of the pipeline, in its order.
    """

    def __init__(self, group: Any) -> None:
        self._ranks = dist.get_process_group_ranks(group or dist.group.WORLD)
        self.rank = dist.get_rank(group)
        self.size = len(self._ranks)
        self._group = dist.new_group(self._ranks, backend="gloo", use_local_synchronization=True)
        self._sending: list[tuple[Any, torch.Tensor]] = []

    @property
    def is_last(self) -> bool:
        """Whether this rank is the last: what it knows is all."""
        return self.rank == self.size - 1

    def forward(self, mine: Share) -> list[Share]:
        """Add this rank's share to those of the ranks before it, and pass them on.

        Returns
        -------
        list of Share
            Of the ranks from the first to this one.
        """
        before = self._receive(self.rank - 1, self.rank) if self.rank > 0 else []
        known = [*before, mine]
        if not self.is_last:
            self._send(known, self.rank + 1)
        return known

    def back(self, known: Sequence[Share]) -> list[Share]:
        """Pass the shares of all ranks back; the last rank gives them, the others their own."""
        everything = list(known) if self.is_last else self._receive(self.rank + 1, self.size)
        if self.rank > 0:
            self._send(everything, self.rank - 1)
        return everything

    def finish(self) -> None:
        """Wait until all that was sent has arrived: nothing may be thrown away before."""
        for work, _ in self._sending:
            work.wait()
        self._sending = []

    def _send(self, shares: Sequence[Share], to: int) -> None:
        message = torch.tensor(
            [[share.square, float(share.is_finite)] for share in shares], dtype=torch.float64
        )
        self._sending = [(work, kept) for work, kept in self._sending if not work.is_completed()]
        work = dist.isend(message, self._ranks[to], group=self._group)
        self._sending.append((work, message))

    def _receive(self, source: int, count: int) -> list[Share]:
        message = torch.empty((count, 2), dtype=torch.float64)
        dist.recv(message, self._ranks[source], group=self._group)
        return [Share(square, finite == 1.0) for square, finite in message.tolist()]
