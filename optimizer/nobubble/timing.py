"""When every op of an order runs, and what that costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.timing import time_order
from nobubble.order import Order, check_order
from nobubble.problem import KINDS, F, Problem, W


@dataclass(frozen=True, slots=True)
class Timing:
    """The earliest possible times of an order, and its cost.

    Attributes
    ----------
    start, end : ndarray of int64, shape (n,)
        Of every op, at the place of its letter, in ns.
    sequence : ndarray of int32, shape (n,)
        The places in an order in which every op comes after all that it depends on.
    first_start, last_end : ndarray of int64, shape (p,)
        Of every rank, in ns.
    peak_memory : ndarray of int64, shape (p,)
        The most that every rank holds at any moment, static memory included, in bytes.
    makespan, rank_span : int
        In ns.
    """

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    sequence: NDArray[np.int32]
    first_start: NDArray[np.int64]
    last_end: NDArray[np.int64]
    peak_memory: NDArray[np.int64]
    makespan: int
    rank_span: int

    def cost(self, problem: Problem) -> int:
        """Give the value of the problem's objective, in ns."""
        return self.makespan if problem.objective == "makespan" else self.rank_span


class CircularOrderError(ValueError):
    """Ops of an order wait for each other in a circle.

    Parameters
    ----------
    circle : list of str
        The ops; each waits for the next, and the last for the first.
    """

    def __init__(self, circle: list[str]) -> None:
        self.circle = circle
        chain = ", that for ".join([*circle[1:], circle[0]])
        super().__init__(f"these ops wait for each other in a circle: {circle[0]} for {chain}")


def time_of(problem: Problem, order: Order) -> Timing:
    """Time an order.

    Raises
    ------
    ValueError
        The order does not hold every op once, on its rank.
    CircularOrderError
        It names the ops that wait for each other.
    """
    check_order(problem, order)
    n = len(order.letters)
    start = np.empty(n, dtype=np.int64)
    sequence = np.empty(n, dtype=np.int32)
    position = np.empty(problem.ranks, dtype=np.int64)
    of_rank = np.empty((3, problem.ranks), dtype=np.int64)
    timed = time_order(
        order.letters,
        order.offsets,
        problem.microbatches,
        problem.rank_of,
        problem.time,
        problem.memory,
        problem.workspace,
        problem.forward_latency,
        problem.backward_latency,
        start,
        sequence,
        position,
        of_rank,
    )
    if timed < n:
        raise CircularOrderError(_circle(problem, order, position))
    first_start, last_end, peak = of_rank
    return Timing(
        start=start,
        end=start + problem.time[order.letters >> 2, order.letters & 3],
        sequence=sequence,
        first_start=first_start,
        last_end=last_end,
        peak_memory=peak + problem.static_memory,
        makespan=int(last_end.max() - first_start.min()),
        rank_span=int((last_end - first_start).max()),
    )


def _circle(problem: Problem, order: Order, position: NDArray[np.int64]) -> list[str]:
    """Follow what the stuck ranks wait for until an op comes again."""
    microbatch = order.microbatches()
    place_of: dict[tuple[int, bool, int], int] = {}
    for at, (letter, j) in enumerate(zip(order.letters.tolist(), microbatch.tolist(), strict=True)):
        stage, kind = divmod(letter, 4)
        if kind != W:
            place_of[stage, kind == F, j] = at

    def waits_for(at: int) -> int:
        """Give the op that holds up the one at `at`: its input, or the op before it."""
        rank = int(problem.rank_of[order.letters[at] >> 2])
        if at != position[rank]:
            return at - 1
        stage, kind = divmod(int(order.letters[at]), 4)
        j = int(microbatch[at])
        if kind == F:
            return place_of[stage - 1, True, j]
        if kind == W:
            return place_of[stage, False, j]
        if stage + 1 < problem.stages:
            return place_of[stage + 1, False, j]
        return place_of[stage, True, j]

    stuck = next(r for r in range(problem.ranks) if position[r] < order.offsets[r + 1])
    at = int(position[stuck])
    path: list[int] = []
    while at not in path:
        path.append(at)
        at = waits_for(at)
    return [
        f"{KINDS[order.letters[at] & 3]}({order.letters[at] >> 2}, {microbatch[at]})"
        f" on rank {problem.rank_of[order.letters[at] >> 2]}"
        for at in path[path.index(at) :]
    ]
