"""Between which times every op can end: what keeps the model's large constants small."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from nobubble.problem import BW, B, F, Problem, W
from nobubble.solvers.milp.ops import Op, Part

LONGEST: Final = 1000.0
"""How long the longest schedule is in the model's time."""


@dataclass(frozen=True)
class Windows:
    """The model's time, and the windows of the ops in it.

    Attributes
    ----------
    problem : Problem
    longest : int
        The time by which every op has ended in the schedules that are looked for, in ns.
    """

    problem: Problem
    longest: int

    def scaled(self, time: int) -> float:
        """Give nanoseconds in the model's time."""
        return time * (LONGEST / max(self.longest, 1))

    def nanoseconds(self, scaled: float) -> float:
        """Give the model's time in nanoseconds."""
        return scaled * (max(self.longest, 1) / LONGEST)

    def earliest_end(self, op: Op) -> int:
        """Give the time before which an op cannot end, in ns."""
        return self._heads[op.part][op.stage] + self._queue(op, op.microbatch)

    def latest_end(self, op: Op) -> int:
        """Give the time after which an op cannot end, in ns."""
        after = self.problem.microbatches - 1 - op.microbatch
        return self.longest - self._tails[op.part][op.stage] - self._queue(op, after)

    def _queue(self, op: Op, others: int) -> int:
        """Give what the other microbatches of the stage take at least before an op, or after."""
        if op.part == Part.FORWARD:
            return others * int(self.problem.time[op.stage, F])
        return others * self._shortest[op.stage] if op.part == Part.BACKWARD else 0

    @cached_property
    def _shortest(self) -> list[int]:
        """The least time of a backward before the gradient goes on, by stage, in ns."""
        time, problem = self.problem.time.tolist(), self.problem
        return [
            min(
                time[s][kind]
                for kind, allowed in ((B, problem.may_split[s]), (BW, problem.may_fuse[s]))
                if allowed
            )
            for s in range(problem.stages)
        ]

    @cached_property
    def _heads(self) -> list[list[int]]:
        """The longest path of a microbatch up to the end of every op, by part and stage, in ns."""
        problem, stages = self.problem, range(self.problem.stages)
        forward, backward = [0] * len(stages), [0] * len(stages)
        now = 0
        for s in stages:
            now += int(problem.forward_latency[s] + problem.time[s, F])
            forward[s] = now
        for s in reversed(stages):
            now += int(problem.backward_latency[s]) + self._shortest[s]
            backward[s] = now
        return [forward, backward, backward]

    @cached_property
    def _tails(self) -> list[list[int]]:
        """The longest path of a microbatch from the end of every op on, by part and stage."""
        problem, stages = self.problem, range(self.problem.stages)
        forward, backward = [0] * len(stages), [0] * len(stages)
        follows = 0
        for s in stages:
            own = 0 if problem.may_fuse[s] else int(problem.time[s, W])
            backward[s] = max(own, follows)
            follows = int(problem.backward_latency[s]) + self._shortest[s] + backward[s]
        now = self._shortest[-1] + backward[-1]
        for s in reversed(stages):
            forward[s] = now
            now += int(problem.time[s, F] + problem.forward_latency[s])
        return [forward, backward, [0] * len(stages)]
