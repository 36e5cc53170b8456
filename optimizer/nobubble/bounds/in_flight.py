"""The bound of the microbatches that memory allows in flight at once."""

from __future__ import annotations

from itertools import accumulate

from nobubble.bounds.chain import through
from nobubble.bounds.figures import Figures
from nobubble.bounds.room import Room
from nobubble.problem import Problem


def in_flight(problem: Problem) -> int | None:
    """Bound the cost by how many round trips have to come one after another, in ns.

    Holds on any placement and for every way of running backward. None without a memory limit.

    Proof
    -----
    At most L microbatches can be between the start of F and the end of backward of stage s (see
    `Room.in_flight`), so F(s, j + L) starts after the end of B(s, j), which in turn ends at
    least R, a round trip, before B(s, j + L) ends. Let m - 1 = q L + r. Then the last backward ends
    at least q R after that of microbatch r, and W' of s follows.

    Until then microbatches 0 to r take C: they pass through a stage k >= s, whose rank runs, one
    after another, their r + 1 F's, their r + 1 backwards, or, between the first F and the last
    backward there, all of both and those of its own higher stages. So C is the most over k of

    - R + r F_k and R + r B'_k,
    - the way from s to k, (r + 1) times the F + B' of k and the higher stages there, the way back.
    """
    figures, room = Figures.of(problem), Room.of(problem)
    m = problem.microbatches
    if all(capacity is None for capacity in room.capacity):
        return None
    passing = _Passing(figures)
    within = [0] * problem.stages
    for rank, stages in enumerate(figures.stages_on):
        for place, s in enumerate(stages):
            most = room.in_flight(stages[: place + 1], room.capacity[rank], m)
            q, r = divmod(m - 1, most)
            # Without any round trip first: so that less memory never gives a lower bound.
            within[s] = max(q * figures.trip[s] + passing.time(s, r + 1), passing.time(s, m))
    return through(problem, figures, within)


class _Passing:
    """The time in which a number of microbatches pass through a stage and all that follow it."""

    def __init__(self, figures: Figures) -> None:
        self._figures = figures
        self._together = [0] * len(figures.forward)
        for stages in figures.stages_on:
            total = 0
            for s in reversed(stages):
                total += figures.forward[s] + figures.backward[s]
                self._together[s] = total
        ops = [max(pair) for pair in zip(figures.forward, figures.backward, strict=True)]
        self._slowest = _highest_from(ops)
        self._farthest: dict[int, list[int]] = {}

    def time(self, stage: int, count: int) -> int:
        """Give C for `count` microbatches from the first F of the stage to its last backward."""
        figures = self._figures
        if count not in self._farthest:
            self._farthest[count] = _highest_from(
                [
                    there + count * work + back
                    for there, work, back in zip(
                        figures.head, self._together, figures.back, strict=True
                    )
                ]
            )
        return max(
            figures.trip[stage] + (count - 1) * self._slowest[stage],
            self._farthest[count][stage] - figures.head[stage] - figures.back[stage],
        )


def _highest_from(values: list[int]) -> list[int]:
    """Give, for every place, the highest value from there on."""
    return list(accumulate(reversed(values), max))[::-1]
