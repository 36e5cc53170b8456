"""Timing as its definition says, slowly."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from nobubble.order import Order
from nobubble.problem import KINDS
from nobubble.profile.model import Cost, Profile

Op = tuple[str, int, int]
"""Kind, stage and microbatch."""


@dataclass(frozen=True)
class PlainTiming:
    """Start and end of every op, in the order of the letters, and the peaks of the ranks."""

    start: list[int]
    end: list[int]
    peak_memory: list[int]


def ops_of(order: Order) -> list[list[Op]]:
    """Name the ops of every rank, counting each stage's F's, backwards and W's."""
    ranks = []
    for rank in range(len(order.offsets) - 1):
        seen: dict[tuple[str, int], int] = {}
        split: dict[int, list[int]] = {}
        ops: list[Op] = []
        for letter in order.of_rank(rank).tolist():
            stage, kind = divmod(letter, 4)
            name = KINDS[kind]
            if name == "W":
                ops.append(("W", stage, split[stage].pop(0)))
                continue
            j = seen.get((name[0], stage), 0)
            seen[name[0], stage] = j + 1
            if name == "B":
                split.setdefault(stage, []).append(j)
            ops.append((name, stage, j))
        ranks.append(ops)
    return ranks


def plain_timing(profile: Profile, order: Order) -> PlainTiming:
    """Push every start later until all rules hold."""
    rows = ops_of(order)
    every = [op for row in rows for op in row]
    backward = {op[1:]: op for op in every if op[0] in ("B", "BW")}
    last = len(profile.stages) - 1

    def latency(from_stage: int, to_stage: int) -> int:
        if profile.placement[from_stage] == profile.placement[to_stage]:
            return 0
        if from_stage < to_stage:
            return profile.communication_forward[from_stage]
        return profile.communication_backward[to_stage]

    waits: list[tuple[Op, Op, int]] = []
    for kind, s, j in every:
        op = (kind, s, j)
        if kind == "F" and s > 0:
            waits.append((op, ("F", s - 1, j), latency(s - 1, s)))
        if kind in ("B", "BW") and s < last:
            waits.append((op, backward[s + 1, j], latency(s + 1, s)))
        if kind in ("B", "BW") and s == last:
            waits.append((op, ("F", s, j), 0))
        if kind == "W":
            waits.append((op, ("B", s, j), 0))
    for row in rows:
        waits += [(after, before, 0) for before, after in pairwise(row)]
    start = dict.fromkeys(every, 0)
    changed = True
    while changed:
        changed = False
        for op, before, delay in waits:
            earliest = start[before] + _cost(profile, before).time + delay
            if start[op] < earliest:
                start[op] = earliest
                changed = True
    return PlainTiming(
        start=[start[op] for op in every],
        end=[start[op] + _cost(profile, op).time for op in every],
        peak_memory=[_peak(profile, rank, row) for rank, row in enumerate(rows)],
    )


def _cost(profile: Profile, op: Op) -> Cost:
    cost: Cost = getattr(profile.stages[op[1]], op[0])
    return cost


def _peak(profile: Profile, rank: int, row: list[Op]) -> int:
    level = profile.static_memory[rank]
    peaks = [level]
    for op in row:
        cost = _cost(profile, op)
        peaks.append(level + max(cost.memory, 0) + cost.workspace)
        level += cost.memory
    return max(peaks)
