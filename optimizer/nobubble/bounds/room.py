"""What fits into the memory of a rank."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from nobubble.bounds.ways import possible_ways
from nobubble.problem import BW, UNLIMITED, B, F, Problem


@dataclass(frozen=True, slots=True)
class Room:
    """The memory side of a problem, as Python integers (bytes).

    Attributes
    ----------
    capacity : list of (int or None), length p
        What a rank has for activations and workspace; None is no limit.
    held : list of int, length S
        M_F: what a microbatch holds from the start of F to the end of its backward.
    pending : list of int, length S
        M_F + M_B: what it holds from there to the end of W, where the backward is split.
    start_forward : list of int, length S
        What must be free, besides what is held, while F runs: its workspace.
    start_backward : list of int, length S
        The same for a backward, in the way that needs the least: workspace, and what B adds.
    """

    capacity: list[int | None]
    held: list[int]
    pending: list[int]
    start_forward: list[int]
    start_backward: list[int]

    @classmethod
    def of(cls, problem: Problem) -> Room:
        """Give the memory side of a problem."""
        memory = problem.memory.tolist()
        workspace = problem.workspace.tolist()
        may_split, may_fuse = possible_ways(problem)
        start_backward = []
        for stage in range(problem.stages):
            ways = []
            if may_split[stage]:
                ways.append(max(0, memory[stage][B]) + workspace[stage][B])
            if may_fuse[stage]:
                ways.append(max(0, memory[stage][BW]) + workspace[stage][BW])
            start_backward.append(min(ways))
        return cls(
            capacity=[None if c >= UNLIMITED else c for c in problem.capacity.tolist()],
            held=[row[F] for row in memory],
            pending=[row[F] + row[B] for row in memory],
            start_forward=[row[F] for row in workspace],
            start_backward=start_backward,
        )

    def in_flight(self, stages: list[int], capacity: int | None, most: int) -> int:
        """Give how many microbatches can be between the start of F and the end of backward.

        Of the last of `stages`, which are a rank's stages up to it: each of these microbatches
        has run F on all of them and backward on none, so holds M_F of each. When the last of them
        starts, the workspace of F must be free; and as many are there still when the next
        backward starts.

        Returns
        -------
        int
            From 1 (a feasible problem has room for one) to `most`.
        """
        if capacity is None:
            return most
        stage = stages[-1]
        room = capacity - max(self.start_forward[stage], self.start_backward[stage])
        return max(1, fitting(room, sum(self.held[s] for s in stages), most))


def fitting(room: int, size: int, most: int) -> int:
    """Give how many pieces of a size fit into the room: from 0 to `most`."""
    if room < 0:
        return 0
    return min(most, room // size) if size > 0 else most


def most_value(room: int, pieces: list[tuple[int, int, int]]) -> int:
    """Give the highest value that fits into the room, or a little more.

    A fractional knapsack: pieces may be cut; with one kind of piece they are not.

    Parameters
    ----------
    room : int
    pieces : list of (size, value, most)
        `most` pieces of every kind, with sizes and values at least 0.
    """
    if len(pieces) == 1:
        size, value, most = pieces[0]
        return value * fitting(room, size, most)
    total = 0
    sized = []
    for size, value, most in pieces:
        if size == 0:
            total += value * most
        else:
            sized.append((size, value, most))
    left = max(0, room)
    for size, value, most in sorted(sized, key=_density, reverse=True):
        whole = min(most, left // size)
        total += value * whole
        left -= size * whole
        if whole < most:
            return total + value * left // size
    return total


def _density(piece: tuple[int, int, int]) -> Fraction:
    size, value, _ = piece
    return Fraction(value, size)
