"""From a building block to an order: repeated, and squeezed at both ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.block_times import block_times
from nobubble.compiled.list_scheduling import FUSED, FUSED_WHILE_STEADY, PREFER_FUSED
from nobubble.order import Order
from nobubble.problem import BW, B, F, Problem, W
from nobubble.solvers.blocks.block import Block
from nobubble.solvers.extent import time_unit
from nobubble.solvers.list_scheduler import Due, ListScheduler, Rules


class Unroller:
    """Makes orders of building blocks, on one grid and with one way of running backward.

    Parameters
    ----------
    problem : Problem
    grid : int
        See `Block`.
    backward_mode : ndarray of int64, shape (S,)
        See `nobubble.compiled.list_scheduling.list_schedule`.
    """

    def __init__(self, problem: Problem, grid: int, backward_mode: NDArray[np.int64]) -> None:
        self._problem = _on_grid(problem, grid) if grid > 0 else _in_smallest_units(problem)
        self._scheduler = ListScheduler(self._problem)
        self._mode = backward_mode
        fused = np.isin(backward_mode, (FUSED, PREFER_FUSED, FUSED_WHILE_STEADY))
        time = self._problem.time
        self._forward_time = time[:, F].copy()
        self._backward_time = np.where(fused, time[:, BW], time[:, B])
        self._weight_time = np.where(fused, 0, time[:, W])
        work = self._forward_time + self._backward_time + self._weight_time
        self._work = max(1, int(np.bincount(problem.rank_of, weights=work).max()))
        self._mean = float(work.mean()) / 3
        rank_of = problem.rank_of
        self._is_first = np.array([s not in rank_of[:i] for i, s in enumerate(rank_of)])
        self._crosses = rank_of[1:] != rank_of[:-1]

    def unrolled(self, block: Block) -> Order | None:
        """Give the order that a block unrolls to; None where there is no such block."""
        due = self.due(block, self._work)
        if due is None:
            return None
        if block.pace > 0:
            shortest = self._shortest_interval(due)
            if shortest <= self._work:
                return None
            due = self.due(block, int(block.pace * shortest))
            if due is None:
                return None
        m = self._problem.microbatches
        cap = np.full(self._problem.stages, m, dtype=np.int64)
        if block.capped:
            held_for = due.backward + self._backward_time - due.forward
            cap = (-(-held_for // due.period)).clip(1, m)
        rules = Rules(
            cap=cap,
            weight_lag=np.full(self._problem.stages, m, dtype=np.int64),
            backward_mode=self._mode,
            gap_eighths=8,
            hold_eighths=block.hold_eighths,
            interval=0,
            due=due,
        )
        return self._scheduler.order() if self._scheduler.run(rules) else None

    def due(self, block: Block, period: int) -> Due | None:
        """Give when the F's and backwards of a block are due; None where they find no place."""
        problem = self._problem
        forward_first, forward_others, backward_first, backward_others = block.waits
        forward_wait = np.where(self._is_first, forward_first, forward_others) * self._mean
        backward_wait = np.where(self._is_first, backward_first, backward_others) * self._mean
        forward_wait[0] = 0
        forward_wait[1:] *= self._crosses
        backward_wait[-1] = block.turn * self._mean
        backward_wait[:-1] *= self._crosses
        due = Due(np.empty_like(problem.rank_of), np.empty_like(problem.rank_of), period)
        found = block_times(
            problem.rank_of,
            problem.ranks,
            self._forward_time,
            self._backward_time,
            forward_wait.astype(np.int64) + problem.forward_latency,
            backward_wait.astype(np.int64) + problem.backward_latency,
            period,
            due.forward,
            due.backward,
        )
        return due if found else None

    def _shortest_interval(self, due: Due) -> int:
        """Give the shortest interval at which what a block holds fits into memory."""
        problem = self._problem
        held_for = due.backward + self._backward_time + self._weight_time - due.forward
        held = np.bincount(problem.rank_of, weights=held_for * problem.memory[:, F].astype(float))
        return int((held / np.maximum(problem.capacity, 1)).max())


def _in_smallest_units(problem: Problem) -> Problem:
    """Divide times by what they have in common, so that their unit does not matter."""
    unit = time_unit(problem)
    return replace(
        problem,
        time=problem.time // unit,
        forward_latency=problem.forward_latency // unit,
        backward_latency=problem.backward_latency // unit,
    )


def _on_grid(problem: Problem, grid: int) -> Problem:
    """Round times to a grid in which an op takes `grid` in the mean, and nothing less than 1.

    Communication takes no time there: it is short beside an op, or it is waited for in any case.
    """
    problem = _in_smallest_units(problem)
    unit = float(problem.time[:, [F, B, W]].mean()) / grid or 1.0
    nothing = np.zeros_like(problem.forward_latency)
    return replace(
        problem,
        time=np.maximum(1, (problem.time / unit).round()).astype(np.int64),
        forward_latency=nothing,
        backward_latency=nothing,
    )
