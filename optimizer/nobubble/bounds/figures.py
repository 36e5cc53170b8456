"""What every bound calculates with: the least that a schedule of a problem has to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nobubble.bounds.ways import possible_ways
from nobubble.problem import BW, B, F, Problem, W


@dataclass(frozen=True, slots=True)
class Figures:
    """The least times of a problem, as Python integers: sums of them cannot overflow.

    Where a backward may be split and may be fused, both ways take at least `backward` for the op
    that later stages wait for, and at least `whole` in all. ``whole - backward`` then stands for W:
    whatever runs the first as short as possible needs at least that much for the rest.

    Attributes
    ----------
    forward : list of int, length S
        The time of F.
    backward : list of int, length S
        B': the shortest of B and BW, as allowed.
    whole : list of int, length S
        T': the shortest of B + W and BW, as allowed.
    weight : list of int, length S
        W' = T' - B', at least 0.
    head : list of int, length S
        The earliest start of the first F of the stage: all F's before it and their latencies.
    back : list of int, length S
        From the end of a backward of the stage to the end of that of stage 0, at least.
    trip : list of int, length S
        R: from the start of an F of the stage to the end of the backward of the same microbatch, at
        least: to the last stage and back.
    stages_on : list of list of int, length p
        The stages of every rank, ascending.
    """

    forward: list[int]
    backward: list[int]
    whole: list[int]
    weight: list[int]
    head: list[int]
    back: list[int]
    trip: list[int]
    stages_on: list[list[int]]

    @classmethod
    def of(cls, problem: Problem) -> Figures:
        """Give the figures of a problem."""
        time = problem.time.tolist()
        may_split, may_fuse = possible_ways(problem)
        there = problem.forward_latency.tolist()
        home = problem.backward_latency.tolist()
        last = problem.stages - 1
        forward = [row[F] for row in time]
        backward, whole = [], []
        for row, split, fuse in zip(time, may_split, may_fuse, strict=True):
            ways = [(row[B], row[B] + row[W])] * split + [(row[BW], row[BW])] * fuse
            backward.append(min(first for first, _ in ways))
            whole.append(min(both for _, both in ways))
        head, back = [0], [0]
        for stage in range(last):
            head.append(head[stage] + forward[stage] + there[stage + 1])
            back.append(back[stage] + home[stage] + backward[stage])
        trip = [
            head[last] - head[stage] + forward[last] + backward[last] + back[last] - back[stage]
            for stage in range(problem.stages)
        ]
        stages_on: list[list[int]] = [[] for _ in range(problem.ranks)]
        for stage, rank in enumerate(problem.rank_of.tolist()):
            stages_on[rank].append(stage)
        return cls(
            forward=forward,
            backward=backward,
            whole=whole,
            weight=[both - first for both, first in zip(whole, backward, strict=True)],
            head=head,
            back=back,
            trip=trip,
            stages_on=stages_on,
        )

    def work(self, rank: int, microbatches: int) -> int:
        """Give the least busy time of a rank, in ns."""
        return microbatches * sum(self.forward[s] + self.whole[s] for s in self.stages_on[rank])

    def cost(self, problem: Problem, spans: Iterable[tuple[int, int]]) -> int:
        """Turn bounds on the spans of ranks into a bound on the objective, in ns.

        A rank first runs the F of its lowest stage, which cannot start before its `head`; so the
        makespan is at least that and the span.

        Parameters
        ----------
        problem : Problem
        spans : iterable of (rank, span in ns)
        """
        if problem.objective == "rank_span":
            return max(span for _, span in spans)
        return max(self.head[self.stages_on[rank][0]] + span for rank, span in spans)
