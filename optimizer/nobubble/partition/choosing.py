"""Which layers each stage gets, judged by the schedules that come of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from nobubble.bounds.best import best_bound
from nobubble.errors import InfeasibleError, NoScheduleError
from nobubble.partition.splits import even_split, min_max_split, neighbours
from nobubble.problem import Problem
from nobubble.profile.layered import LayeredModel
from nobubble.profile.model import Profile
from nobubble.solvers.answer import Answer
from nobubble.solvers.strategy import answer
from nobubble.solvers.task import Task
from nobubble.solvers.watch import Watch

Tell = Callable[[str], None]

WORK: Final = 12_000_000
"""Of all solves of one choice, in ops scheduled by a pass: some seconds."""

_PASSES: Final = 120
"""What a quick solve does, in passes over all ops: list scheduling and schedules by name."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A partition, and what it was chosen from.

    Attributes
    ----------
    partition : tuple of int, shape (S,)
        Layers of every stage.
    cost : int or None
        Of the quick solve, in ns; None where none fits into memory.
    even, even_cost : tuple of int, int or None
        The even split, and the same of it.
    solves : int
        How many partitions were solved.
    """

    partition: tuple[int, ...]
    cost: int | None
    even: tuple[int, ...]
    even_cost: int | None
    solves: int


def choose_partition(
    model: LayeredModel,
    placement: Sequence[int],
    *,
    tell: Tell | None = None,
    stop: Callable[[], bool] | None = None,
) -> Choice:
    """Choose how many layers each stage gets, so that the solved schedule is best.

    Starts from the best of the even split and of those whose busiest, and whose fullest, rank has
    least; moves single layers from stage to stage, nearest stages first, as long as a quick solve
    (effort fast) gets better. A partition whose lower bound is no better than the best cost is not
    solved. The work is counted, so the choice is the same on every machine.

    Parameters
    ----------
    model : LayeredModel
    placement : sequence of int, shape (S,)
        The rank of every stage.
    tell : callable, optional
        Hears of progress.
    stop : callable, optional
        Says whether to end with the best so far.

    Returns
    -------
    Choice
        No worse than the even split, as far as quick solves tell.
    """
    judge = _Judge(model, placement, stop or (lambda: False))
    kinds = [(layer.costs, layer.static_memory) for layer in model.layers]
    even = even_split(kinds, len(placement))
    even_cost = judge.cost(even)
    best, least = even, even_cost
    held = [layer.static_memory + layer.costs.F.memory for layer in model.layers]
    for weights in (model.times(), held):
        balanced = min_max_split(weights, placement)
        cost = judge.cost(balanced)
        if _is_less(cost, least):
            best, least = balanced, cost
    while not judge.is_over():
        found = None
        for other in neighbours(best, reach=len(placement)):
            if judge.is_over():
                break
            cost = judge.cost(other, below=least)
            if _is_less(cost, least):
                found, least = other, cost
                break
        if found is None:
            break
        best = found
        if tell is not None:
            tell(f"partition: {judge.solves} solved, best {', '.join(map(str, best))}")
    return Choice(best, least, even, even_cost, judge.solves)


def _is_less(one: int | None, other: int | None) -> bool:
    return one is not None and (other is None or one < other)


class _Judge:
    """Solves partitions quickly, each once, until its work is done."""

    def __init__(
        self, model: LayeredModel, placement: Sequence[int], stop: Callable[[], bool]
    ) -> None:
        self._model = model
        self._placement = placement
        self._stop = stop
        ops = 3 * len(placement) * model.microbatches
        self._left = max(4, WORK // (_PASSES * ops))
        self._known: dict[tuple[int, ...], int | None] = {}
        self.solves = 0

    def is_over(self) -> bool:
        return self._left <= 0 or self._stop()

    def cost(self, partition: tuple[int, ...], below: int | None = None) -> int | None:
        """Give the cost of a quick schedule in ns; None where there is none, or none under that."""
        if partition in self._known:
            return self._known[partition]
        profile = self._model.profile(self._placement, partition)
        problem = Problem.of(profile)
        if below is not None and best_bound(problem).value >= below:
            self._known[partition] = None
            return None
        self._left -= 1
        self.solves += 1
        found = _quick(profile, problem, self._stop)
        cost = None if found is None else found.solution.timing.cost(problem)
        self._known[partition] = cost
        return cost


def _quick(profile: Profile, problem: Problem, stop: Callable[[], bool]) -> Answer | None:
    watch = Watch(None, lambda _text, _best: None, stop)
    try:
        return answer(Task(profile, problem, "auto", "fast", 0, watch))
    except (InfeasibleError, NoScheduleError):
        return None
