"""One round of annealing from a schedule."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from nobubble.compiled.annealing import anneal
from nobubble.compiled.randomness import seeded
from nobubble.problem import Problem
from nobubble.solvers.search.strings import Strings
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch

FARTHEST: Final = 4
"""The most places that a move takes an op: longer ones are hardly ever kept."""

UNCRITICAL_64THS: Final = 8
"""How often an op on no critical path moves: it makes room, but shortens nothing."""

SLICE: Final = 1_000_000
"""Work between two looks at the watch: some 50 ms."""

_QUANTILES: Final = 4096
_LOGARITHMS: Final = np.array(
    [round(-math.log((k + 0.5) / _QUANTILES) * 2**20) for k in range(_QUANTILES)], dtype=np.int64
)


def anneal_round(
    problem: Problem,
    start: Solution,
    watch: Watch,
    *,
    target: int,
    work: int,
    hot: float,
    cold: float,
    seed: int,
) -> Solution:
    """Anneal from a schedule; give the best met, which may be the start.

    Parameters
    ----------
    target : int
        Stop at this cost, in ns.
    work : int
        How much to do, in ops timed.
    hot, cold : float
        The mean thresholds at the beginning and at the end, in mean times of an op.
    seed : int
    """
    strings, ops = Strings.with_table(problem, start.order, start.timing)
    is_span = problem.objective == "rank_span"
    cost = start.timing.cost(problem)
    best_sequence, best_fused = strings.sequence.copy(), strings.fused.copy()
    mean_time = int(start.timing.end.sum() - start.timing.start.sum()) / len(start.order.letters)
    progress = np.array([cost, 0, 0, 0], dtype=np.int64)
    random_state = seeded(seed)
    pause_at = 0
    while progress[0] > target and progress[1] < work and not watch.is_over():
        pause_at += SLICE
        anneal(
            ops,
            strings.sequence,
            strings.offsets,
            problem.microbatches,
            is_span,
            problem.capacity,
            problem.may_split & problem.may_fuse,
            strings.fused,
            problem.time,
            problem.memory,
            problem.workspace,
            work,
            hot * mean_time,
            cold * mean_time,
            FARTHEST,
            UNCRITICAL_64THS,
            _LOGARITHMS,
            target,
            pause_at,
            random_state,
            best_sequence,
            best_fused,
            progress,
        )
    if progress[0] == cost:
        return start
    found = Strings(best_sequence, strings.offsets, best_fused).order(problem)
    return Solution.of("search", problem, found)
