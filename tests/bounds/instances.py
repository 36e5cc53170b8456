"""Random tiny problems that reach into every corner of what a profile can say."""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

from nobubble.problem import BW, UNLIMITED, B, F, Problem, W
from nobubble.profile.model import Objective


def random_problem(rng: random.Random, objective: Objective, *, most_ops: int = 45) -> Problem:
    """Draw a problem with at most `most_ops` F's, B's and W's.

    The limit of a rank is none, just enough for one microbatch at a time, or somewhat more.
    """
    while True:
        ranks = rng.choice((1, 2, 2, 2, 3, 3))
        stages = rng.choice((ranks, ranks, rng.randint(ranks, 5)))
        m = rng.randint(1, rng.choice((3, 6, 12)))
        if 3 * stages * m <= most_ops:
            break
    placement = _placement(rng, ranks, stages)
    time, memory, workspace = (np.zeros((stages, 4), dtype=np.int64) for _ in range(3))
    may_split = np.ones(stages, dtype=np.bool_)
    may_fuse = np.zeros(stages, dtype=np.bool_)
    style = _Style(rng)
    for s in range(stages):
        time[s], memory[s], workspace[s] = style.stage()
        way = style.way()
        may_split[s] = way != "fused"
        may_fuse[s] = way != "split"
    forward_latency = np.zeros(stages, dtype=np.int64)
    backward_latency = np.zeros(stages, dtype=np.int64)
    for s in range(stages - 1):
        if placement[s] != placement[s + 1]:
            forward_latency[s + 1] = style.latency()
            backward_latency[s] = style.latency()
    problem = Problem(
        ranks=ranks,
        stages=stages,
        microbatches=m,
        rank_of=np.array(placement, dtype=np.int64),
        time=time,
        memory=memory,
        workspace=workspace,
        forward_latency=forward_latency,
        backward_latency=backward_latency,
        may_split=may_split,
        may_fuse=may_fuse,
        capacity=np.zeros(ranks, dtype=np.int64),
        static_memory=np.zeros(ranks, dtype=np.int64),
        objective=objective,
    )
    for rank in range(ranks):
        problem.capacity[rank] = style.capacity(needed(problem, rank), problem, rank)
    return problem


def needed(problem: Problem, rank: int) -> int:
    """Give the capacity with which a rank can run one microbatch after the other."""
    held = peak = 0
    stages = problem.stages_on(rank)
    for s in stages:
        held += int(problem.memory[s, F])
        peak = max(peak, held + int(problem.workspace[s, F]))
    for s in reversed(stages):
        ways = []
        if problem.may_fuse[s]:
            ways.append(held + int(problem.workspace[s, BW]))
        if problem.may_split[s]:
            first, second = int(problem.memory[s, B]), int(problem.memory[s, W])
            way = held + max(0, first) + int(problem.workspace[s, B])
            ways.append(max(way, held + first + max(0, second) + int(problem.workspace[s, W])))
        peak = max(peak, min(ways))
        held -= int(problem.memory[s, F])
    return peak


def _placement(rng: random.Random, ranks: int, stages: int) -> list[int]:
    kind = rng.choice(("interleaved", "v", "any"))
    if kind == "interleaved":
        return [s % ranks for s in range(stages)]
    if kind == "v" and stages == 2 * ranks:
        return [min(s, 2 * ranks - 1 - s) for s in range(stages)]
    placement = [*range(ranks), *(rng.randrange(ranks) for _ in range(stages - ranks))]
    rng.shuffle(placement)
    return placement


class _Style:
    """What the stages of one problem have in common."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._longest = rng.choice((1, 3, 6, 12))
        self._latency = rng.choice((0, 1, 3, 10))
        self._lightest = rng.choice((0, 1, 2, 5))
        self._workspace = rng.choice((0, 0, 2))
        self._ways = rng.choice((("split",), ("split",), ("fused",), ("auto",), None))
        self._limit = rng.choice(("none", "least", "little", "little", "little", "more"))
        self._same = None if rng.random() < 0.6 else self._stage()

    def stage(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        return self._stage() if self._same is None else self._same

    def way(self) -> str:
        return self._rng.choice(self._ways or ("split", "fused", "auto"))

    def latency(self) -> int:
        return self._rng.randint(0, self._latency)

    def capacity(self, needed: int, problem: Problem, rank: int) -> int:
        rng = self._rng
        if self._limit == "none" or (self._limit == "more" and rng.random() < 0.2):
            return UNLIMITED
        if self._limit == "least":
            return needed
        heaviest = max(int(problem.memory[s, F]) for s in problem.stages_on(rank))
        most = heaviest * (1 if self._limit == "little" else problem.microbatches)
        return needed + rng.randint(0, max(1, most))

    def _stage(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        rng = self._rng
        forward, backward, weight = (
            rng.choice((0, rng.randint(0, self._longest), rng.randint(1, self._longest)))
            for _ in range(3)
        )
        fused = rng.choice((backward + weight, rng.randint(0, backward + weight + 2)))
        held = rng.choice((self._lightest, rng.randint(0, 6)))
        change = rng.choice((-held, -(held // 2), -(held // 2), rng.randint(-held, 3)))
        return (
            np.array([forward, backward, weight, fused], dtype=np.int64),
            np.array([held, change, -held - change, -held], dtype=np.int64),
            np.array([rng.randint(0, self._workspace) for _ in range(4)], dtype=np.int64),
        )
