"""A profile as arrays: what timing, solvers and bounds calculate with."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from nobubble.profile.model import Objective, Profile

F: Final = 0
B: Final = 1
W: Final = 2
BW: Final = 3
KINDS: Final[tuple[Literal["F", "B", "W", "BW"], ...]] = ("F", "B", "W", "BW")

UNLIMITED: Final = 2**62
"""The capacity of a rank without a memory limit, in bytes."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A profile as integer arrays (nanoseconds and bytes).

    Attributes
    ----------
    ranks, stages, microbatches : int
        p, S and m.
    rank_of : ndarray of int64, shape (S,)
        The rank of every stage.
    time, memory, workspace : ndarray of int64, shape (S, 4)
        Of every stage and kind of op, in the order F, B, W, BW.
    forward_latency : ndarray of int64, shape (S,)
        Nanoseconds that the input of stage s travels from stage s - 1: 0 inside a rank and for
        stage 0.
    backward_latency : ndarray of int64, shape (S,)
        Nanoseconds that the gradient for stage s travels from stage s + 1: 0 inside a rank and for
        the last stage.
    may_split, may_fuse : ndarray of bool, shape (S,)
        Whether a backward of the stage may run as B and W, and as BW.
    capacity : ndarray of int64, shape (p,)
        Bytes left for activations and workspace: the limit less the static memory, or UNLIMITED.
        Negative where static memory alone is over the limit.
    static_memory : ndarray of int64, shape (p,)
    objective : {"makespan", "rank_span"}
    """

    ranks: int
    stages: int
    microbatches: int
    rank_of: NDArray[np.int64]
    time: NDArray[np.int64]
    memory: NDArray[np.int64]
    workspace: NDArray[np.int64]
    forward_latency: NDArray[np.int64]
    backward_latency: NDArray[np.int64]
    may_split: NDArray[np.bool_]
    may_fuse: NDArray[np.bool_]
    capacity: NDArray[np.int64]
    static_memory: NDArray[np.int64]
    objective: Objective

    @classmethod
    def of(cls, profile: Profile) -> Problem:
        """Give a profile's arrays."""
        stages = len(profile.stages)
        rank_of = np.array(profile.placement, dtype=np.int64)
        costs = [(stage.F, stage.B, stage.W, stage.BW) for stage in profile.stages]
        forward_latency = np.zeros(stages, dtype=np.int64)
        backward_latency = np.zeros(stages, dtype=np.int64)
        crossing = rank_of[1:] != rank_of[:-1]
        forward_latency[1:] = np.where(crossing, profile.communication_forward, 0)
        backward_latency[:-1] = np.where(crossing, profile.communication_backward, 0)
        return cls(
            ranks=profile.ranks,
            stages=stages,
            microbatches=profile.microbatches,
            rank_of=rank_of,
            time=np.array([[c.time for c in row] for row in costs], dtype=np.int64),
            memory=np.array([[c.memory for c in row] for row in costs], dtype=np.int64),
            workspace=np.array([[c.workspace for c in row] for row in costs], dtype=np.int64),
            forward_latency=forward_latency,
            backward_latency=backward_latency,
            may_split=np.array([s.backward != "fused" for s in profile.stages], dtype=np.bool_),
            may_fuse=np.array([s.backward != "split" for s in profile.stages], dtype=np.bool_),
            capacity=np.array(
                [
                    UNLIMITED if limit is None else limit - static
                    for limit, static in zip(
                        profile.memory_limit, profile.static_memory, strict=True
                    )
                ],
                dtype=np.int64,
            ),
            static_memory=np.array(profile.static_memory, dtype=np.int64),
            objective=profile.objective,
        )

    def stages_on(self, rank: int) -> list[int]:
        """Give the stages of a rank, ascending."""
        return [int(stage) for stage in np.flatnonzero(self.rank_of == rank)]

    def allowing(
        self, *, split: NDArray[np.bool_] | None = None, fused: NDArray[np.bool_] | None = None
    ) -> Problem:
        """Give the same problem with further ways of running backward allowed.

        Parameters
        ----------
        split, fused : ndarray of bool, shape (S,), optional
            Stages whose backward may also be split, or fused.
        """
        return replace(
            self,
            may_split=self.may_split if split is None else self.may_split | split,
            may_fuse=self.may_fuse if fused is None else self.may_fuse | fused,
        )
