"""A slice of time of a schedule: the ops in it, and what all others ask of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.op_table import (
    HEAD,
    INPUT,
    LATENCY,
    LEVEL,
    MEMORY,
    OUTPUT,
    TAIL,
    TIME,
    WORKSPACE,
)
from nobubble.problem import Problem, W
from nobubble.solvers.search.strings import Strings
from nobubble.solvers.solution import Solution


@dataclass(frozen=True, slots=True)
class Op:
    """An op of a window.

    Attributes
    ----------
    number : int
        See `Strings`.
    release : int
        The earliest start that ops before the window allow.
    start : int
        In the schedule as it is.
    time : int
    tail : int
        The longest way from its end to the end of the iteration through ops after the window.
    memory, workspace : int
        In bytes.
    after : list of (int, int)
        The ops of the window that it comes after, by number, and how long after their end.
    """

    number: int
    release: int
    start: int
    time: int
    tail: int
    memory: int
    workspace: int
    after: list[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Block:
    """The ops of one rank in a window.

    Attributes
    ----------
    rank : int
    ops : list of Op
    low, high : int
        Their places in the sequence: ``low <= place < high``.
    level : int
        What the rank holds before them, in bytes.
    """

    rank: int
    ops: list[Op]
    low: int
    high: int
    level: int


@dataclass(frozen=True, slots=True)
class Sliced:
    """A schedule to cut windows out of.

    Attributes
    ----------
    problem : Problem
        In the time that windows are to be in.
    strings : Strings
    table : ndarray of int64
        See `nobubble.compiled.op_table`.
    heads : ndarray of int64
        Of the ops that take part, ascending: all but the W's of fused backwards.
    """

    problem: Problem
    strings: Strings
    table: NDArray[np.int64]
    heads: NDArray[np.int64]

    @classmethod
    def of(cls, problem: Problem, solution: Solution) -> Sliced:
        """Prepare a schedule of the problem, be it timed in the same unit or another."""
        strings, table = Strings.with_table(problem, solution.order, solution.timing)
        runs = np.ones((problem.stages, 3, problem.microbatches), dtype=np.bool_)
        runs[:, W] = ~strings.fused.reshape(problem.stages, problem.microbatches)
        return cls(problem, strings, table, np.sort(table[runs.ravel(), HEAD]))

    def window(self, first: int, size: int) -> list[Block]:
        """Give the ops that start from the `first` of all on, some `size` of them.

        No path leaves a window and comes back: along a path starts do not fall, and every op
        that starts in the slice of time is in the window. So the starts of ops before it and the
        tails of ops after it stay as they are, whatever the order within.
        """
        begin = self.heads[first]
        end = self.heads[first + size] if first + size < len(self.heads) else None
        offsets, sequence = self.strings.offsets, self.strings.sequence
        inside = np.zeros(len(self.table), dtype=np.bool_)
        places = []
        for rank in range(self.problem.ranks):
            low, high = int(offsets[rank]), int(offsets[rank + 1])
            heads = self.table[sequence[low:high], HEAD]
            if end is not None:
                high = self._past_part(low + int(np.searchsorted(heads, end)), high)
            low = self._past_part(low + int(np.searchsorted(heads, begin)), high)
            inside[sequence[low:high]] = True
            places.append((rank, low, high))
        return [self._block(rank, low, high, inside) for rank, low, high in places if low < high]

    def _past_part(self, place: int, high: int) -> int:
        """Give the place after the W that belongs to the fused backward before it, if it is one."""
        return place + int(place < high and self._is_part(int(self.strings.sequence[place])))

    def _is_part(self, op: int) -> bool:
        """Say whether an op is the W of a fused backward."""
        letter, j = divmod(op, self.problem.microbatches)
        stage, kind = divmod(letter, 3)
        return kind == W and bool(self.strings.fused[stage * self.problem.microbatches + j])

    def _block(self, rank: int, low: int, high: int, inside: NDArray[np.bool_]) -> Block:
        """Give a rank's ops from one place to another."""
        sequence, offsets = self.strings.sequence, self.strings.offsets
        begun = tail = level = 0
        if low > offsets[rank]:
            before = self.table[sequence[low - 1]]
            begun, level = int(before[HEAD] + before[TIME]), int(before[LEVEL])
        if high < offsets[rank + 1]:
            following = self.table[sequence[high]]
            tail = int(following[TAIL] + following[TIME])
        elif self.problem.objective == "rank_span":
            tail = -int(self.table[sequence[offsets[rank]], HEAD])
        ops = []
        last: dict[int, int] = {}  # The last op so far of every letter.
        for number in sequence[low:high].tolist():
            if self._is_part(number):
                continue
            letter = number // self.problem.microbatches
            op = self._op(number, begun, tail, inside)
            if letter in last:
                op.after.append((last[letter], 0))
            last[letter] = number
            ops.append(op)
        return Block(rank, ops, low, high, level)

    def _op(self, number: int, begun: int, tail: int, inside: NDArray[np.bool_]) -> Op:
        """Give an op of a block that begins at a time and has a tail."""
        row = self.table[number].tolist()
        after = []
        source, target = row[INPUT], row[OUTPUT]
        if source >= 0 and inside[source]:
            after.append((source, row[LATENCY]))
        elif source >= 0:
            end = int(self.table[source, HEAD] + self.table[source, TIME])
            begun = max(begun, end + row[LATENCY])
        if target >= 0 and not inside[target]:
            tail = max(tail, int(self.table[target, [TAIL, TIME, LATENCY]].sum()))
        letter, m = number // self.problem.microbatches, self.problem.microbatches
        if letter % 3 == W and inside[number - m]:
            after.append((number - m, 0))
        return Op(
            number=number,
            release=begun,
            start=row[HEAD],
            time=row[TIME],
            tail=tail,
            memory=row[MEMORY],
            workspace=row[WORKSPACE],
            after=after,
        )
