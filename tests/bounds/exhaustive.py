"""The cheapest schedule of a tiny problem, by trying every order of every rank.

Written apart from the timing that solvers use, so that a mistake there cannot hide one here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from nobubble.problem import BW, B, F, Problem, W

NEVER = 2**61
"""More than any cost."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found.

    Attributes
    ----------
    cost : int
        Of the cheapest schedule below the `below` that was asked for, in ns; NEVER for none.
    complete : bool
        Whether everything was tried.
    """

    cost: int
    complete: bool


def cheapest(
    problem: Problem, *, below: int = NEVER, enough: int = -1, steps: int = 1_000_000
) -> Found:
    """Find the cheapest schedule of a problem.

    Parameters
    ----------
    problem : Problem
    below : int
        Look only for schedules that cost less, in ns.
    enough : int
        Stop at a schedule that costs no more, in ns.
    steps : int
        Stop after trying so many ops.
    """
    tail, tail_to = _tails(problem)
    cost, left = _search(
        problem.microbatches,
        problem.rank_of,
        problem.time,
        problem.memory,
        problem.workspace,
        problem.forward_latency,
        problem.backward_latency,
        problem.may_split,
        problem.may_fuse,
        problem.capacity,
        problem.objective == "makespan",
        tail,
        tail_to,
        below,
        enough,
        steps,
    )
    return Found(cost=cost if cost < below else NEVER, complete=left > 0)


def _tails(problem: Problem) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the time that must follow the end of an op, on its own microbatch's path.

    Returns
    -------
    tail : ndarray of int64, shape (S, 4)
        Up to the last end anywhere.
    tail_to : ndarray of int64, shape (S, 4, p)
        Up to the last end on every rank, 0 where the path does not come to the rank.
    """
    stages, ranks = problem.stages, problem.ranks
    tail_to = np.zeros((stages, 4, ranks), dtype=np.int64)
    shortest = np.zeros(stages, dtype=np.int64)
    after = np.zeros((stages, ranks), dtype=np.int64)  # From the start of a backward on.
    for s in range(stages):
        rank = problem.rank_of[s]
        for kind, allowed in ((B, problem.may_split[s]), (BW, problem.may_fuse[s])):
            if s > 0:
                reach = after[s - 1] + problem.backward_latency[s - 1]
                tail_to[s, kind] = np.where(after[s - 1] > 0, reach, 0)
            if kind == B:
                tail_to[s, B, rank] = max(tail_to[s, B, rank], problem.time[s, W])
            if not allowed:
                tail_to[s, kind] = NEVER
        ways = [
            problem.time[s, kind] + tail_to[s, kind]
            for kind, allowed in ((B, problem.may_split[s]), (BW, problem.may_fuse[s]))
            if allowed
        ]
        shortest[s] = min(
            problem.time[s, kind]
            for kind, allowed in ((B, problem.may_split[s]), (BW, problem.may_fuse[s]))
            if allowed
        )
        after[s] = np.min(ways, axis=0)
    for s in reversed(range(stages)):
        if s == stages - 1:
            tail_to[s, F] = after[s]
        else:
            tail_to[s, F] = (
                problem.forward_latency[s + 1] + problem.time[s + 1, F] + tail_to[s + 1, F]
            )
    return tail_to.max(axis=2), tail_to


@numba.njit(cache=True)
def _search(
    m: int,
    rank_of: NDArray[np.int64],
    time: NDArray[np.int64],
    memory: NDArray[np.int64],
    workspace: NDArray[np.int64],
    forward_latency: NDArray[np.int64],
    backward_latency: NDArray[np.int64],
    may_split: NDArray[np.bool_],
    may_fuse: NDArray[np.bool_],
    capacity: NDArray[np.int64],
    makespan: bool,
    tail: NDArray[np.int64],
    tail_to: NDArray[np.int64],
    below: int,
    enough: int,
    steps: int,
) -> tuple[int, int]:
    """Append op after op, in order of start, at its earliest start; undo and try the next.

    Any schedule that starts every op as early as its order allows comes up this way: sort its ops
    by start; of those that start together first the ones of no time, as they depend on each
    other, then the others by rank.

    Returns
    -------
    int
        The lowest cost found, `below` where none is.
    int
        How many steps are left.
    """
    stages = len(rank_of)
    ranks = len(capacity)
    most = 3 * stages * m
    forward_end = np.zeros((stages, m), np.int64)
    backward_end = np.zeros((stages, m), np.int64)
    weight_ready = np.zeros((stages, m), np.int64)
    forwards = np.zeros(stages, np.int64)
    backwards = np.zeros(stages, np.int64)
    splits = np.zeros(stages, np.int64)
    weights = np.zeros(stages, np.int64)
    clock = np.zeros(ranks, np.int64)
    first = np.full(ranks, -1, np.int64)
    held = np.zeros(ranks, np.int64)
    remaining = np.zeros(ranks, np.int64)
    left = 0
    shortest = np.zeros(stages, np.int64)
    for s in range(stages):
        shortest[s] = NEVER
        if may_split[s]:
            shortest[s] = time[s, B] + time[s, W]
        if may_fuse[s]:
            shortest[s] = min(shortest[s], time[s, BW])
        remaining[rank_of[s]] += m * (time[s, F] + shortest[s])
        left += 2 * m
    # The state before the op at every depth, and the ops that can stand there.
    chosen_stage = np.zeros(most + 1, np.int64)
    chosen_kind = np.zeros(most + 1, np.int64)
    before_clock = np.zeros(most + 1, np.int64)
    before_first = np.zeros(most + 1, np.int64)
    before_start = np.zeros(most + 2, np.int64)
    before_rank = np.zeros(most + 2, np.int64)
    before_lasting = np.zeros(most + 2, np.bool_)
    options = np.zeros((most + 1, 4 * stages, 3), np.int64)
    counts = np.zeros(most + 1, np.int64)
    at = np.zeros(most + 1, np.int64)
    best = below
    depth = 0
    fresh = True
    before_rank[0] = -1
    while True:
        if fresh:
            fresh = False
            counts[depth] = 0
            at[depth] = 0
            if left == 0:
                cost = 0
                for r in range(ranks):
                    cost = max(cost, clock[r] if makespan else clock[r] - first[r])
                if cost < best:
                    best = cost
                    if best <= enough:
                        return best, steps
            else:
                now = before_start[depth]
                hopeless = False
                for r in range(ranks):
                    if remaining[r] > 0:
                        end = max(clock[r], now) + remaining[r]
                        if not makespan:
                            end = end - first[r] if first[r] >= 0 else remaining[r]
                        if end >= best:
                            hopeless = True
                if not hopeless:
                    for s in range(stages):
                        r = rank_of[s]
                        for kind in (B, BW, F, W):
                            if kind == F:
                                if forwards[s] == m:
                                    continue
                                ready = 0
                                if s > 0:
                                    if forwards[s - 1] <= forwards[s]:
                                        continue
                                    ready = forward_end[s - 1, forwards[s]] + forward_latency[s]
                            elif kind == W:
                                if weights[s] == splits[s]:
                                    continue
                                ready = weight_ready[s, weights[s]]
                            else:
                                if not (may_split[s] if kind == B else may_fuse[s]):
                                    continue
                                if backwards[s] == forwards[s]:
                                    continue
                                ready = forward_end[s, backwards[s]]
                                if s + 1 < stages:
                                    if backwards[s + 1] <= backwards[s]:
                                        continue
                                    ready = backward_end[s + 1, backwards[s]] + backward_latency[s]
                            start = max(clock[r], ready)
                            lasting = time[s, kind] > 0
                            if start < now:
                                continue
                            together = start == now and before_lasting[depth]
                            if together and (not lasting or r < before_rank[depth]):
                                continue
                            level = held[r] + max(0, memory[s, kind]) + workspace[s, kind]
                            if level > capacity[r]:
                                continue
                            end = start + time[s, kind]
                            if makespan:
                                if end + tail[s, kind] >= best:
                                    continue
                            else:
                                late = False
                                for other in range(ranks):
                                    if first[other] >= 0 and tail_to[s, kind, other] > 0:
                                        reach = end + tail_to[s, kind, other] - first[other]
                                        late = late or reach >= best
                                if late:
                                    continue
                            # Insert by start, so that a good schedule comes early.
                            place = counts[depth]
                            counts[depth] += 1
                            while place > 0 and options[depth, place - 1, 0] > start:
                                options[depth, place] = options[depth, place - 1]
                                place -= 1
                            options[depth, place, 0] = start
                            options[depth, place, 1] = s
                            options[depth, place, 2] = kind
        if at[depth] < counts[depth]:
            steps -= 1
            if steps <= 0:
                return best, 0
            start = options[depth, at[depth], 0]
            s = options[depth, at[depth], 1]
            kind = options[depth, at[depth], 2]
            at[depth] += 1
            r = rank_of[s]
            end = start + time[s, kind]
            chosen_stage[depth] = s
            chosen_kind[depth] = kind
            before_clock[depth] = clock[r]
            before_first[depth] = first[r]
            clock[r] = end
            if first[r] < 0:
                first[r] = start
            held[r] += memory[s, kind]
            left -= 1
            if kind == F:
                forward_end[s, forwards[s]] = end
                forwards[s] += 1
                remaining[r] -= time[s, F]
            elif kind == W:
                weights[s] += 1
                remaining[r] -= time[s, W]
            else:
                backward_end[s, backwards[s]] = end
                backwards[s] += 1
                remaining[r] -= shortest[s]
                if kind == B:
                    weight_ready[s, splits[s]] = end
                    splits[s] += 1
                    remaining[r] += time[s, W]
                    left += 1
            depth += 1
            before_start[depth] = start
            before_rank[depth] = r
            before_lasting[depth] = time[s, kind] > 0
            fresh = True
        else:
            if depth == 0:
                return best, steps
            depth -= 1
            s = chosen_stage[depth]
            kind = chosen_kind[depth]
            r = rank_of[s]
            clock[r] = before_clock[depth]
            first[r] = before_first[depth]
            held[r] -= memory[s, kind]
            left += 1
            if kind == F:
                forwards[s] -= 1
                remaining[r] += time[s, F]
            elif kind == W:
                weights[s] -= 1
                remaining[r] += time[s, W]
            else:
                backwards[s] -= 1
                remaining[r] += shortest[s]
                if kind == B:
                    splits[s] -= 1
                    remaining[r] -= time[s, W]
                    left -= 1
