"""The bound of memory and the time for which it is held."""

from __future__ import annotations

from nobubble.bounds.figures import Figures
from nobubble.bounds.room import Room
from nobubble.bounds.ways import possible_ways
from nobubble.problem import BW, B, F, Problem, W


def area(problem: Problem) -> int | None:
    """Bound the cost by memory times the time it is held, over the capacity (Little's law), in ns.

    Holds on any placement and for every way of running backward. None without a memory limit.

    Proof
    -----
    The memory that a rank uses, summed over its span, is at most capacity * span. Every
    microbatch of a stage adds to that sum, at least:

    - M_F from the start of F to the start of its backward: the way to the last stage and back;
    - split: from there M_F, or M_F + M_B where that is more (an increase counts from the start),
      during B, and M_F + M_B during W; fused: M_F during BW;
    - the workspace of every op while it runs.

    Where both ways are allowed the smaller sum counts.
    """
    figures, room = Figures.of(problem), Room.of(problem)
    if all(capacity is None for capacity in room.capacity):
        return None
    held = _held(problem, figures)
    spans = []
    for rank, capacity in enumerate(room.capacity):
        total = problem.microbatches * sum(held[s] for s in figures.stages_on[rank])
        # A capacity of 0 is feasible only where nothing is ever held.
        spans.append((rank, -(-total // capacity) if capacity is not None and capacity > 0 else 0))
    return figures.cost(problem, spans)


def _held(problem: Problem, figures: Figures) -> list[int]:
    """Give the least memory times time of a microbatch at every stage, in byte ns."""
    may_split, may_fuse = possible_ways(problem)
    sums = []
    for s, (time, memory, workspace) in enumerate(
        zip(problem.time.tolist(), problem.memory.tolist(), problem.workspace.tolist(), strict=True)
    ):
        waiting = figures.trip[s] - figures.backward[s]
        ways = []
        if may_split[s]:
            pending = memory[F] + memory[B]
            during = max(memory[F], pending)
            ways.append((during + workspace[B]) * time[B] + (pending + workspace[W]) * time[W])
        if may_fuse[s]:
            ways.append((memory[F] + workspace[BW]) * time[BW])
        sums.append(memory[F] * waiting + workspace[F] * time[F] + min(ways))
    return sums
