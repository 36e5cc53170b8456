"""The settings under which the list scheduler runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.list_scheduling import (
    FUSED,
    FUSED_WHILE_STEADY,
    PREFER_FUSED,
    PREFER_SPLIT,
    SPLIT,
)
from nobubble.problem import B, F, Problem, W


@dataclass(frozen=True, slots=True)
class Cap:
    """How many microbatches may be in flight on a stage: ``ceil(factor * basis) - less``.

    Attributes
    ----------
    basis : {"depth", "period", "forward", "unlimited"}
        Per stage s: the ranks' worth of stages from s on, (S - s) * p / S, which is what 1F1B
        holds; or the round trip from F's start to B's end without waits, divided by the time
        that the busiest rank takes for a microbatch, or by F.
    """

    basis: Literal["depth", "period", "forward", "unlimited"]
    factor: float = 1.0
    less: int = 0

    def of(self, problem: Problem) -> NDArray[np.int64]:
        """Give the cap of every stage, shape (S,)."""
        m = problem.microbatches
        if self.basis == "unlimited":
            return np.full(problem.stages, m, dtype=np.int64)
        if self.basis == "depth":
            depth = np.arange(problem.stages, 0, -1) * (problem.ranks / problem.stages)
        else:
            period = _period(problem) if self.basis == "period" else problem.time[:, F]
            depth = round_trips(problem) / np.maximum(period, 1)
        caps = np.ceil(self.factor * depth).clip(max=m + 1).astype(np.int64) - self.less
        at_least_one: NDArray[np.int64] = np.maximum(caps, 1)
        return at_least_one


@dataclass(frozen=True, slots=True)
class WeightRule:
    """When W runs.

    Attributes
    ----------
    gap_eighths : int
        In a gap of at least so many eighths of its time.
    lag : float or None
        Also before F when more than ``lag * s`` W's wait on stage s; None is never.
    """

    gap_eighths: int
    lag: float | None = None

    def lag_of(self, problem: Problem) -> NDArray[np.int64]:
        """Give the number of W's that may wait on every stage, shape (S,)."""
        if self.lag is None:
            return np.full(problem.stages, problem.microbatches, dtype=np.int64)
        return (self.lag * np.arange(problem.stages)).astype(np.int64)


# Chosen from 49 caps and 30 rules by how much each added to the best of the others, on 195
# instances of 4 to 32 ranks (both objectives, limits from a quarter to three times 1F1B's memory).
FIRST_CAPS: Final = (
    Cap("depth", 2, 1),
    Cap("depth", 1.5, 1),
    Cap("depth", 1, 1),
    Cap("period", 1.125),
    Cap("period", 1),
    Cap("forward", 1.125),
)
MORE_CAPS: Final = (
    Cap("unlimited"),
    Cap("depth", 1.625, 1),
    Cap("depth", 1.625),
    Cap("depth", 2.125, 1),
    Cap("depth", 1.5),
    Cap("depth", 1),
    Cap("period", 2.5),
    Cap("depth", 2),
    Cap("depth", 1.75),
    Cap("depth", 2.75, 1),
)
WEIGHT_RULES: Final = (
    WeightRule(4),
    WeightRule(6),
    WeightRule(2),
    WeightRule(0),
    WeightRule(8, 2),
    WeightRule(8, 0.5),
)
PACES: Final = tuple(round(1 + 0.02 * step, 2) for step in range(16))
"""Intervals between microbatches, in the shortest that memory allows: see `paced_interval`."""
PACED_RULES: Final = (WeightRule(8), WeightRule(4))
FIRST: Final = len(FIRST_CAPS) * len(WEIGHT_RULES) + len(PACES) * len(PACED_RULES)
"""How many settings every problem is given."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of the list scheduler's rules.

    Attributes
    ----------
    cap : Cap
    rule : WeightRule
    backward_mode : ndarray of int64, shape (S,)
        See `nobubble.compiled.list_scheduling.list_schedule`.
    interval : int
        Ns between the earliest starts of the F's of stage 0.
    """

    cap: Cap
    rule: WeightRule
    backward_mode: NDArray[np.int64]
    interval: int = 0


def settings(problem: Problem) -> Iterator[Setting]:
    """Give the settings for a problem, the most useful first.

    Where stages may choose how to run backward, each comes with three choices.
    """
    modes = backward_modes(problem)
    yield from (Setting(*three) for three in product(FIRST_CAPS, WEIGHT_RULES, modes))
    shortest = paced_interval(problem)
    if shortest is not None:
        for rule, pace, mode in product(PACED_RULES, PACES, modes):
            yield Setting(Cap("unlimited"), rule, mode, interval=int(pace * shortest))
    yield from (Setting(*three) for three in product(MORE_CAPS, WEIGHT_RULES, modes))


def paced_interval(problem: Problem) -> int | None:
    """Give the shortest interval at which memory lets stage 0 take up microbatches, in ns.

    With L microbatches fitting into memory, each held for a round trip and its W, one can begin
    every L-th of that. Spread so, they get less into each other's way than all at once. None where
    the work of the busiest rank takes longer anyway.
    """
    held = int(problem.memory[0, F])
    capacity = int(problem.capacity[problem.rank_of[0]])
    if held == 0:
        return None
    in_flight = max(1, capacity // held)
    interval = (int(round_trips(problem)[0]) + int(problem.time[0, W])) // in_flight
    return interval if interval > _period(problem) else None


def backward_modes(problem: Problem) -> list[NDArray[np.int64]]:
    """Give the choices of how each stage runs backward, each of shape (S,)."""
    free = problem.may_split & problem.may_fuse
    fixed = np.where(problem.may_split, SPLIT, FUSED)
    if not free.any():
        return [fixed]
    return [
        np.where(free, mode, fixed) for mode in (FUSED_WHILE_STEADY, PREFER_SPLIT, PREFER_FUSED)
    ]


def round_trips(problem: Problem) -> NDArray[np.int64]:
    """Give the time from F's start to B's end on every stage without waits, in ns, shape (S,)."""
    there_and_back = problem.time[:, F] + problem.time[:, B]
    after = np.cumsum(there_and_back[::-1])[::-1]
    forward = np.append(problem.forward_latency[1:], 0)
    links = np.cumsum((forward + problem.backward_latency)[::-1])[::-1]
    return np.asarray(after + links, dtype=np.int64)


def _period(problem: Problem) -> int:
    """Give what the busiest rank takes for a microbatch with split backward, in ns."""
    per_stage = problem.time[:, [F, B, W]].sum(axis=1)
    return int(np.bincount(problem.rank_of, weights=per_stage).max())
