"""One pass of the Zero Bubble paper's heuristic under one setting of its three switches."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.compiling import kernel, part
from nobubble.problem import B, F, W


class _Run(NamedTuple):
    """The costs of a linear placement, and how far every stage has come."""

    time: NDArray[np.int64]
    memory: NDArray[np.int64]
    workspace: NDArray[np.int64]
    forward_latency: NDArray[np.int64]
    backward_latency: NDArray[np.int64]
    capacity: NDArray[np.int64]
    done: NDArray[np.int64]  # (S, 3): how many F, B, W
    ends: NDArray[np.int64]  # (S, 2, m): of every F and B
    clock: NDArray[np.int64]  # (S,)
    level: NDArray[np.int64]  # (S,): bytes held
    bubble: NDArray[np.int64]  # (S,): ns waited since the first op
    letters: NDArray[np.int32]  # (S, 3 * m)
    of_rank: NDArray[np.int64]  # (3, S)


@part
def _arrival(run: _Run, stage: int, kind: int) -> int:
    """Give when the input of the stage's next F or B is there."""
    j = run.done[stage, kind]
    if kind == F:
        if stage == 0:
            return 0
        return int(run.ends[stage - 1, F, j] + run.forward_latency[stage])
    if stage + 1 < len(run.clock):
        return int(run.ends[stage + 1, B, j] + run.backward_latency[stage])
    return int(run.ends[stage, F, j])


@part
def _fits(run: _Run, stage: int, kind: int) -> bool:
    """Say whether an F or B fits into memory now.

    After an F, the W's that wait must still fit, and then a backward; after a B, its W.
    """
    level, capacity = run.level[stage], run.capacity[stage]
    if kind == B:
        return bool(level + _to_end(run, stage) <= capacity)
    level += run.memory[stage, F]
    if level + run.workspace[stage, F] > capacity:
        return False
    waiting = run.done[stage, B] - run.done[stage, W]
    if waiting > 0 and level + run.workspace[stage, W] > capacity:
        return False
    return bool(level + waiting * run.memory[stage, W] + _to_end(run, stage) <= capacity)


@part
def _to_end(run: _Run, stage: int) -> int:
    """Give the bytes that B and W of a microbatch need on top of what F holds."""
    change = run.memory[stage, B]
    return int(max(max(change, 0) + run.workspace[stage, B], change + run.workspace[stage, W], 0))


@part
def _append(run: _Run, stage: int, kind: int, start: int) -> None:
    """Run a stage's next op of a kind."""
    done = run.done[stage]
    place = done[F] + done[B] + done[W]
    if place == 0:
        run.of_rank[0, stage] = start
    else:
        run.bubble[stage] += start - run.clock[stage]
    run.letters[stage, place] = 4 * stage + kind
    end = start + run.time[stage, kind]
    if kind != W:
        run.ends[stage, kind, done[kind]] = end
    done[kind] += 1
    change = run.memory[stage, kind]
    highest = run.level[stage] + max(change, 0) + run.workspace[stage, kind]
    run.of_rank[2, stage] = max(run.of_rank[2, stage], highest)
    run.level[stage] += change
    run.clock[stage] = end
    run.of_rank[1, stage] = end


@part
def _largest_bubble(run: _Run) -> int:
    """Give the time that the stage that has waited longest has waited."""
    largest = 0
    for stage in range(len(run.bubble)):
        largest = max(largest, run.bubble[stage])
    return largest


@part
def _put(run: _Run, stage: int, kind: int, fill_small_gaps: bool) -> None:
    """Run a stage's next F or B, with W's in the gap before it and for the memory it needs.

    A gap narrower than W takes one where the wait would make the largest bubble of all stages
    larger, or where small gaps are filled anyway.
    """
    arrival = _arrival(run, stage, kind)
    while run.done[stage, W] < run.done[stage, B]:
        gap = arrival - run.clock[stage]
        fills = gap > 0 and (
            gap >= run.time[stage, W]
            or fill_small_gaps
            or run.bubble[stage] + gap > _largest_bubble(run)
        )
        if not fills and _fits(run, stage, kind):
            break
        _append(run, stage, W, run.clock[stage])
    _append(run, stage, kind, max(arrival, run.clock[stage]))


@part
def _fits_upstream(run: _Run, stage: int) -> bool:
    """Say whether the stage can run one more F, with as many more before it as that takes.

    Every stage has run at least one F more than the next, until its F's are used up.
    """
    microbatches = run.ends.shape[2]
    wanted = run.done[stage, F] + 1
    for upstream in range(stage, -1, -1):
        more = min(wanted, microbatches) - run.done[upstream, F]
        if more <= 0:
            break
        held = run.level[upstream] + more * run.memory[upstream, F]
        beside = max(run.workspace[upstream, F], _to_end(run, upstream))
        if held + beside > run.capacity[upstream]:
            return False
        wanted += 1
    return True


@part
def _warm_up(run: _Run, bubble_before_first_b: bool) -> None:
    """Run F's up to each stage's first B, and that B; from the last stage to the first."""
    stages, _, microbatches = run.ends.shape
    for stage in range(stages):
        _put(run, stage, F, False)
    for stage in range(stages - 1, -1, -1):
        until = _arrival(run, stage, B)
        while run.done[stage, F] < microbatches and _fits_upstream(run, stage):
            start = run.clock[stage]
            if stage > 0:
                if run.done[stage - 1, F] > run.done[stage, F]:
                    arrival = _arrival(run, stage, F)
                else:
                    before = stage - 1
                    arrival = run.clock[before] + run.time[before, F] + run.forward_latency[stage]
                start = max(start, arrival)
            end = start + run.time[stage, F]
            if end > until and not (bubble_before_first_b and start < until):
                break
            lowest = stage
            while lowest > 0 and run.done[lowest - 1, F] < min(
                run.done[stage, F] + 1 + stage - (lowest - 1), microbatches
            ):
                lowest -= 1
            wanted = run.done[stage, F] + 1
            for upstream in range(lowest, stage + 1):
                while run.done[upstream, F] < min(wanted + stage - upstream, microbatches):
                    _put(run, upstream, F, False)
        _put(run, stage, B, False)


@kernel(
    "void(int64[:, ::1], int64[:, ::1], int64[:, ::1], int64[::1], int64[::1], int64[::1],"
    " boolean, boolean, boolean, int32[:, ::1], int64[:, ::1])"
)
def zb_auto(
    time: NDArray[np.int64],
    memory: NDArray[np.int64],
    workspace: NDArray[np.int64],
    forward_latency: NDArray[np.int64],
    backward_latency: NDArray[np.int64],
    capacity: NDArray[np.int64],
    bubble_before_first_b: bool,
    b_before_f: bool,
    fill_small_gaps: bool,
    letters: NDArray[np.int32],
    of_rank: NDArray[np.int64],
) -> None:
    """Schedule split backward on a linear placement as the paper's section 3.1 says.

    Warm-up: as many F's before the first B as memory allows and as do not delay it. Then F and B
    in turn, W where a gap or memory asks for it; every stage stays at least one F ahead of the
    next until its F's are used up. The W's that are left come last.

    Where memory is short of that, the W's of earlier microbatches and, before a round, the F's
    that its B's need are run first: then at most one microbatch is in flight.

    Parameters
    ----------
    time, memory, workspace, forward_latency, backward_latency, capacity
        See `nobubble.problem.Problem`; stage s is on rank s.
    bubble_before_first_b : bool
        Also take the F that delays the first B, when it starts before that B could.
    b_before_f : bool
        Where a stage is more than one F ahead of the next and B can start at once, leave out F.
    fill_small_gaps : bool
        Fill a gap that is narrower than W with a W all the same.
    letters : ndarray of int32, shape (S, 3 * m), output
    of_rank : ndarray of int64, shape (3, S), output
        First start, last end (ns) and peak activation memory with workspace (bytes) of every rank.
    """
    stages = len(time)
    microbatches = letters.shape[1] // 3
    of_rank[2, :] = 0
    run = _Run(
        time,
        memory,
        workspace,
        forward_latency,
        backward_latency,
        capacity,
        np.zeros((stages, 3), np.int64),
        np.zeros((stages, 2, microbatches), np.int64),
        np.zeros(stages, np.int64),
        np.zeros(stages, np.int64),
        np.zeros(stages, np.int64),
        letters,
        of_rank,
    )
    done = run.done
    _warm_up(run, bubble_before_first_b)
    for j in range(1, microbatches):
        for stage in range(stages - 1):
            while done[stage, F] <= j:
                _put(run, stage, F, fill_small_gaps)
        for stage in range(stages - 1, -1, -1):
            wanted = done[stage, F] < microbatches and (
                stage == 0 or done[stage - 1, F] > done[stage, F]
            )
            if wanted and stage + 1 < stages and done[stage, F] > done[stage + 1, F]:
                b_now = _arrival(run, stage, B) <= run.clock[stage]
                wanted = not (b_before_f and b_now)
            if wanted:
                while not _fits(run, stage, F) and done[stage, W] < done[stage, B]:
                    _append(run, stage, W, run.clock[stage])
                if _fits(run, stage, F):
                    _put(run, stage, F, fill_small_gaps)
            _put(run, stage, B, fill_small_gaps)
    for stage in range(stages):
        while done[stage, W] < microbatches:
            _append(run, stage, W, run.clock[stage])
