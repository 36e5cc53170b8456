"""Sliding windows over a schedule until none of them can be improved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from nobubble.problem import B, Problem
from nobubble.solvers.cpsat.clock import LONGEST, Clock
from nobubble.solvers.outcome import keeps_to
from nobubble.solvers.search.strings import Strings
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch
from nobubble.solvers.windows.model import solve_window
from nobubble.solvers.windows.window import Block, Sliced

SIZES: Final = ((80, 0.5), (160, 0.5), (320, 1.0), (480, 1.0))
"""Ops in a window, and CP-SAT's deterministic seconds for it: pass after pass."""

OVERHEAD: Final = 0.005
"""What a window takes beside solving it, in the same unit."""


def improve_windows(
    problem: Problem,
    start: Solution,
    watch: Watch,
    *,
    bound: int,
    work: float,
    seed: int,
    found: Callable[[Solution], None],
) -> None:
    """Improve a schedule slice by slice, until no slice can be, or the work is done.

    Which backwards are fused stays as it is. What the solver says of a slice is not taken on
    trust: its order is timed again, and kept only where the whole costs less and keeps to memory.

    Parameters
    ----------
    problem : Problem
    start : Solution
        Keeps to the problem.
    watch : Watch
    bound : int
        A lower bound, in ns: a schedule that meets it ends the search.
    work : float
        Deterministic seconds of CP-SAT.
    seed : int
    found : callable
        Takes every better schedule.
    """
    clock = Clock.of(problem)
    if clock.longest > LONGEST:
        return
    least = -(-bound // clock.unit)
    best = start
    for number, (size, most_work) in enumerate(SIZES):
        sliced = Sliced.of(clock.ticked, best)
        at = 0
        while True:
            cost = best.timing.cost(problem) // clock.unit
            if cost <= least or work <= 0 or watch.is_over():
                return
            blocks = sliced.window(at, size)
            solved = solve_window(
                problem,
                clock,
                blocks,
                watch,
                least=least,
                most=cost - 1,
                work=min(work, most_work),
                seed=seed + number,
            )
            work -= solved.work + OVERHEAD
            if solved.rows is not None:
                better = _replaced(problem, sliced.strings, blocks, solved.rows)
                is_cheaper = better.timing.cost(problem) < best.timing.cost(problem)
                if is_cheaper and keeps_to(problem, better):
                    best = better
                    found(best)
                    sliced = Sliced.of(clock.ticked, best)
                    if not solved.is_complete:
                        continue  # The same slice may have more in it.
            if at + size >= len(sliced.heads):
                break
            at += size // 2


def _replaced(
    problem: Problem, strings: Strings, blocks: list[Block], rows: list[list[int]]
) -> Solution:
    """Give the schedule with other orders in the places of some blocks."""
    sequence = strings.sequence.copy()
    m = problem.microbatches
    for block, row in zip(blocks, rows, strict=True):
        whole = []
        for number in row:
            whole.append(number)
            letter, j = divmod(number, m)
            if letter % 3 == B and strings.fused[letter // 3 * m + j]:
                whole.append(number + m)  # The W that runs as a part of it.
        sequence[block.low : block.high] = whole
    order = Strings(sequence, strings.offsets, strings.fused).order(problem)
    return Solution.of("windows", problem, order)
