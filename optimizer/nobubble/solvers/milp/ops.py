"""The ops of the model, and which of two on a rank comes first whatever the order."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from nobubble.problem import BW, B, F, Problem, W


class Part(IntEnum):
    """What an op is: F, the backward in either way, or W."""

    FORWARD = 0
    BACKWARD = 1
    WEIGHT = 2


@dataclass(frozen=True, slots=True, order=True)
class Op:
    """An op of the model: W of a backward that runs as BW takes no time and is no op."""

    part: Part
    stage: int
    microbatch: int


def ops_on(problem: Problem, rank: int) -> list[Op]:
    """Give the ops of a rank."""
    return [
        Op(part, s, j)
        for s in problem.stages_on(rank)
        for part in Part
        if part != Part.WEIGHT or problem.may_split[s]
        for j in range(problem.microbatches)
    ]


def kinds(problem: Problem, op: Op) -> tuple[int, int | None]:
    """Give the kind of an op, and what it is instead when its backward is not split.

    The second is None where there is no choice; W, which then does not run, gives W again.
    """
    if op.part == Part.FORWARD:
        return F, None
    choice = bool(problem.may_split[op.stage] and problem.may_fuse[op.stage])
    if op.part == Part.WEIGHT:
        return W, W if choice else None
    return (B if problem.may_split[op.stage] else BW), BW if choice else None


def precedes(problem: Problem, a: Op, b: Op) -> bool:
    """Say whether `a` comes before `b` in every order.

    An op depends on those of its own microbatch and, within its kind, on earlier ones. So F(s,j)
    comes before F(s',k) where s <= s', before every back(s',k); back(s,j) before back(s',k) where
    s' <= s, and before W(s',k) where s' <= s; all for j <= k. W's of a stage that may choose are
    not in order, since W of a microbatch with BW stands right behind that.
    """
    if a.microbatch > b.microbatch or a == b:
        return False
    if a.part == Part.FORWARD:
        return b.part != Part.FORWARD or a.stage <= b.stage
    if b.part == Part.FORWARD:
        return False
    if a.part == Part.WEIGHT:
        return b.part == Part.WEIGHT and a.stage == b.stage and not problem.may_fuse[a.stage]
    return b.stage <= a.stage
