"""Schedules from building blocks, the best of all."""

from __future__ import annotations

from bisect import insort
from random import Random
from typing import Final

from nobubble.problem import Problem
from nobubble.solvers.blocks.block import BLOCKS, Block
from nobubble.solvers.blocks.neighbours import neighbour
from nobubble.solvers.blocks.unroller import Unroller
from nobubble.solvers.list_scheduler import ListScheduler
from nobubble.solvers.rules import backward_modes
from nobubble.solvers.shortlist import Shortlist
from nobubble.solvers.solution import Solution, merit
from nobubble.solvers.watch import Watch
from nobubble.solvers.weight_placer import WeightPlacer

METHOD: Final = "building-blocks"

WORK: Final = 6_000_000
"""Ops to place for the blocks of BLOCKS, once the first have had theirs."""

FIRST: Final = 16
"""How many blocks are unrolled on every problem."""

BEST: Final = 4
"""How many schedules to keep, for a search to start from."""

PARENTS: Final = 8
"""How many of the best blocks have neighbours tried."""

OPS_A_CLIMB: Final = 15_000
"""Ops placed for which a climb counts once, so that large problems get fewer."""

GAPS: Final = ((6, False), (4, True))
"""How W's are placed: see `nobubble.compiled.weight_placing.place_weights`."""


def blocks(
    problem: Problem, watch: Watch, *, bound: int = 0, climbs: int = 0, seed: int = 0
) -> list[Solution]:
    """Give the best schedules of building blocks: at most BEST, of different cost, best first.

    The work is counted, not the time, so what comes out does not depend on the machine. None where
    the list scheduler cannot run.

    Parameters
    ----------
    problem, watch : Problem, Watch
    bound : int
        No schedule costs less, in ns: stop there.
    climbs : int
        How many neighbours of the best blocks to try as well.
    seed : int
    """
    if not ListScheduler(problem).can_run:
        return []
    search = _Search(problem, watch, bound)
    for block in BLOCKS:
        for mode in range(search.modes):
            if search.is_over() or (search.unrolled >= FIRST and search.work >= WORK):
                break
            search.try_block(block, mode)
    random = Random(seed)
    left = climbs * OPS_A_CLIMB
    before = search.work
    for _ in range(climbs):
        if search.is_over() or not search.ranked or search.work - before > left:
            break
        # The better half the more often.
        place = min(random.randrange(PARENTS), random.randrange(PARENTS))
        _, _, mode, block = search.ranked[min(place, len(search.ranked) - 1)]
        search.try_block(neighbour(block, random), mode)
    return search.best.solutions(METHOD)


class _Search:
    """The blocks tried so far, and the best of them.

    Attributes
    ----------
    best : Shortlist
        The best schedules.
    ranked : list of tuple
        The best blocks: merit, number, way of running backward, and the block.
    work, unrolled : int
        Ops placed, and blocks that have given an order.
    modes : int
        In how many ways the stages may run backward.
    """

    def __init__(self, problem: Problem, watch: Watch, bound: int) -> None:
        self._problem, self._watch, self._bound = problem, watch, bound
        self._placer = WeightPlacer(problem)
        self._backward_modes = backward_modes(problem)
        self._unrollers: dict[tuple[int, int], Unroller] = {}
        self._tried: set[tuple[int, Block]] = set()
        self._seen: set[bytes] = set()
        self.best = Shortlist(problem, BEST)
        self.ranked: list[tuple[tuple[int, int], int, int, Block]] = []
        self.work = self.unrolled = 0
        self.modes = len(self._backward_modes)

    def is_over(self) -> bool:
        """Say whether the best is as good as can be, or the time is up."""
        is_proven = bool(self.ranked) and self.ranked[0][0][0] <= self._bound
        return is_proven or self._watch.is_over()

    def try_block(self, block: Block, mode: int) -> None:
        """Unroll a block, unless that was done before, and place its W's."""
        problem = self._problem
        ops = 3 * problem.stages * problem.microbatches
        if (mode, block) in self._tried:
            return
        self._tried.add((mode, block))
        key = (block.grid, mode)
        if key not in self._unrollers:
            self._unrollers[key] = Unroller(problem, block.grid, self._backward_modes[mode])
        order = self._unrollers[key].unrolled(block)
        if order is None:
            return
        self.unrolled += 1
        self.work += ops
        letters = order.letters.tobytes()
        if letters in self._seen:
            return
        self._seen.add(letters)
        merits = []
        for gap_eighths, balanced in GAPS:
            self.work += ops
            if not self._placer.run(order, gap_eighths, balanced):
                continue
            costs = self._placer.costs()
            merits.append(merit(problem, *costs))
            if self.best.offer(*costs, self._placer.order):
                self._watch.report(f"{METHOD}: block {self.unrolled}")
        if merits:
            insort(self.ranked, (min(merits), self.unrolled, mode, block))
            del self.ranked[PARENTS:]
