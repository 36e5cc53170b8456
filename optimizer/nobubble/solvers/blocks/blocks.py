"""Schedules from building blocks, the best of all."""

from __future__ import annotations

from typing import Final

from nobubble.problem import Problem
from nobubble.solvers.blocks.block import BLOCKS
from nobubble.solvers.blocks.unroller import Unroller
from nobubble.solvers.blocks.weight_placer import WeightPlacer
from nobubble.solvers.list_scheduler import ListScheduler
from nobubble.solvers.rules import backward_modes
from nobubble.solvers.shortlist import Shortlist
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch

METHOD: Final = "building-blocks"

WORK: Final = 6_000_000
"""Ops to place in all, once the first blocks have had theirs."""

FIRST: Final = 16
"""How many blocks are unrolled on every problem."""

BEST: Final = 4
"""How many schedules to keep, for a search to start from."""

GAPS: Final = ((6, False), (4, True))
"""How W's are placed: see `nobubble.compiled.weight_placing.place_weights`."""


def blocks(problem: Problem, watch: Watch) -> list[Solution]:
    """Give the best schedules of building blocks: at most BEST, of different cost, best first.

    The work is counted, not the time, so what comes out does not depend on the machine. None where
    the list scheduler cannot run.
    """
    if not ListScheduler(problem).can_run:
        return []
    ops = 3 * problem.stages * problem.microbatches
    placer, best = WeightPlacer(problem), Shortlist(problem, BEST)
    unrollers: dict[tuple[int, int], Unroller] = {}
    seen: set[bytes] = set()
    modes = backward_modes(problem)
    work = unrolled = 0
    for block in BLOCKS:
        for number, mode in enumerate(modes):
            if watch.is_over() or (unrolled >= FIRST and work >= WORK):
                return best.solutions(METHOD)
            if (block.grid, number) not in unrollers:
                unrollers[block.grid, number] = Unroller(problem, block.grid, mode)
            order = unrollers[block.grid, number].unrolled(block)
            if order is None:
                continue
            unrolled += 1
            work += ops
            letters = order.letters.tobytes()
            if letters in seen:
                continue
            seen.add(letters)
            for gap_eighths, balanced in GAPS:
                work += ops
                if placer.run(order, gap_eighths, balanced) and best.offer(
                    *placer.costs(), placer.order
                ):
                    watch.report(f"{METHOD}: block {unrolled}")
    return best.solutions(METHOD)
