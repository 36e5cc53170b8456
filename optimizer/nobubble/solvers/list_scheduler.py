"""Passes of the list scheduler over a problem."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.list_scheduling import list_schedule
from nobubble.order import Order
from nobubble.problem import Problem
from nobubble.solvers.memory import rank_needs


@dataclass(frozen=True, slots=True)
class Due:
    """When F's and backwards are due: only to be compared.

    Attributes
    ----------
    forward, backward : ndarray of int64, shape (S,)
        Of the first microbatch, on every stage.
    period : int
        How much later those of the next microbatch are due.
    """

    forward: NDArray[np.int64]
    backward: NDArray[np.int64]
    period: int

    @classmethod
    def oldest_first(cls, problem: Problem) -> Due:
        """Put backwards before F's, and of each the oldest microbatch first, then late stages."""
        stage = np.arange(problem.stages, dtype=np.int64)
        before_all = 2 * problem.stages * (problem.microbatches + 1)
        return cls(-stage, -stage - before_all, problem.stages)


@dataclass(frozen=True, slots=True)
class Rules:
    """What the list scheduler goes by in a pass: see `list_schedule` for all of it.

    Attributes
    ----------
    cap, weight_lag, backward_mode : ndarray of int64, shape (S,)
    gap_eighths, hold_eighths, interval : int
    due : Due
    """

    cap: NDArray[np.int64]
    weight_lag: NDArray[np.int64]
    backward_mode: NDArray[np.int64]
    gap_eighths: int
    hold_eighths: int
    interval: int
    due: Due


class ListScheduler:
    """The list scheduler over a problem, one pass after the other.

    Parameters
    ----------
    problem : Problem

    Attributes
    ----------
    can_run : bool
        Whether each microbatch can run to its end before the next begins. Elsewhere one fits only
        with W's put off, which the list scheduler does not plan for.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._stage_list = np.argsort(problem.rank_of, kind="stable").astype(np.int64)
        of_rank = np.bincount(problem.rank_of, minlength=problem.ranks)
        self._offsets = np.concatenate([[0], np.cumsum(of_rank)]).astype(np.int64)
        needs = [rank_needs(problem, rank) for rank in range(problem.ranks)]
        self._need = np.concatenate([of_rank.need for of_rank in needs])
        self._held = np.concatenate([of_rank.held for of_rank in needs])
        self.can_run = all(
            of_rank.need[0] <= room for of_rank, room in zip(needs, problem.capacity, strict=True)
        )
        self._letters = np.empty(3 * problem.microbatches * problem.stages, dtype=np.int32)
        self._counts = np.empty(problem.ranks, dtype=np.int64)
        self._of_rank = np.empty((3, problem.ranks), dtype=np.int64)

    def run(self, rules: Rules) -> bool:
        """Run a pass; say whether it came to the end."""
        problem = self._problem
        left = list_schedule(
            self._stage_list,
            self._offsets,
            problem.microbatches,
            problem.rank_of,
            problem.time,
            problem.memory,
            problem.workspace,
            problem.forward_latency,
            problem.backward_latency,
            problem.capacity,
            self._need,
            self._held,
            rules.cap,
            rules.weight_lag,
            rules.backward_mode,
            rules.gap_eighths,
            rules.hold_eighths,
            rules.interval,
            rules.due.forward,
            rules.due.backward,
            rules.due.period,
            self._letters,
            self._counts,
            self._of_rank,
        )
        return left == 0

    def costs(self) -> tuple[int, int]:
        """Give makespan and rank span of the last pass, in ns, as it timed its ops."""
        start, end, _ = self._of_rank
        return int(end.max() - start.min()), int((end - start).max())

    def order(self) -> Order:
        """Give the order of the last pass."""
        starts = 3 * self._problem.microbatches * self._offsets[:-1]
        return Order.of(
            self._letters[at : at + count] for at, count in zip(starts, self._counts, strict=True)
        )
