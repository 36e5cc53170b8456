"""The order of ops on every rank: what solvers search over and what a schedule is made from.

Microbatches are identical, so nothing is lost by running each stage's F's, B's and W's in
microbatch order. An order is therefore a string of letters for every rank, where a letter names a
stage and a kind of op; the k-th F of a stage is that of microbatch k, the k-th B or BW likewise,
and the k-th W belongs to the k-th B.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobubble.problem import BW, KINDS, B, F, Problem, W


def letter(stage: int, kind: int) -> int:
    """Give the letter of a stage and a kind of op: ``4 * stage + kind``."""
    return 4 * stage + kind


@dataclass(frozen=True, slots=True)
class Order:
    """The order of ops on every rank.

    Attributes
    ----------
    letters : ndarray of int32, shape (n,)
        The letters of rank 0, then those of rank 1, and so on: ``4 * stage + kind``.
    offsets : ndarray of int64, shape (p + 1,)
        Rank r's letters are ``letters[offsets[r]:offsets[r + 1]]``.
    """

    letters: NDArray[np.int32]
    offsets: NDArray[np.int64]

    @classmethod
    def of(cls, ranks: Iterable[Sequence[int] | NDArray[np.int32]]) -> Order:
        """Make an order from a sequence of letters for every rank."""
        rows = [np.asarray(row, dtype=np.int32) for row in ranks]
        return cls(
            letters=np.concatenate(rows),
            offsets=np.cumsum([0, *(len(row) for row in rows)], dtype=np.int64),
        )

    def of_rank(self, rank: int) -> NDArray[np.int32]:
        """Give the letters of one rank."""
        return self.letters[self.offsets[rank] : self.offsets[rank + 1]]

    def ranks(self) -> NDArray[np.int64]:
        """Give the rank of every letter, shape (n,)."""
        return np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))

    def microbatches(self) -> NDArray[np.int64]:
        """Give the microbatch of every letter, shape (n,)."""
        stage, kind = np.divmod(self.letters, 4)
        microbatch = np.zeros(len(self.letters), dtype=np.int64)
        for s in np.unique(stage):
            here = stage == s
            for of_kind in (kind == F, (kind == B) | (kind == BW)):
                places = np.flatnonzero(here & of_kind)
                microbatch[places] = np.arange(len(places))
            split = microbatch[here & (kind == B)]
            weights = np.flatnonzero(here & (kind == W))
            microbatch[weights] = split[: len(weights)]
        return microbatch


def check_order(problem: Problem, order: Order) -> None:
    """Refuse an order that does not hold every op of the problem once, on its rank.

    Raises
    ------
    ValueError
        It names the first stage and kind that are wrong.
    """
    stage, kind = np.divmod(order.letters, 4)
    if len(order.letters) and not (stage.min() >= 0 and stage.max() < problem.stages):
        raise ValueError(f"stages are 0 to {problem.stages - 1}; the order has another")
    if len(order.offsets) != problem.ranks + 1:
        raise ValueError(f"the order has {len(order.offsets) - 1} ranks, not {problem.ranks}")
    astray = np.flatnonzero(problem.rank_of[stage] != order.ranks())
    if len(astray):
        at = int(astray[0])
        raise ValueError(
            f"rank {order.ranks()[at]} runs {KINDS[kind[at]]} of stage {stage[at]}, "
            f"which is on rank {problem.rank_of[stage[at]]}"
        )
    count = np.zeros((problem.stages, 4), dtype=np.int64)
    np.add.at(count, (stage, kind), 1)
    m = problem.microbatches
    for s in range(problem.stages):
        forward, backward, weight, fused = (int(c) for c in count[s])
        if forward != m:
            raise ValueError(f"stage {s} has {forward} F for {m} microbatches")
        if backward + fused != m:
            raise ValueError(f"stage {s} has {backward} B and {fused} BW for {m} microbatches")
        if weight != backward:
            raise ValueError(f"stage {s} has {weight} W for {backward} B")
