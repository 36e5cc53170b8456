"""Replaying as its definition says, slowly: one op after the other, in Python's own integers."""

from __future__ import annotations

import math

from nobubble.order import Order
from nobubble.problem import KINDS
from nobubble.profile.model import Cost, Profile
from nobubble.replay.noise import Noise
from tests.timing.plain import Op, ops_of

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
UNIT = math.sqrt((2**32 - 1) / 3)


def scrambled(state: int) -> int:
    """Mix a state of SplitMix64."""
    state = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    state = (state ^ (state >> 27)) * 0x94D049BB133111EB & MASK
    return state ^ (state >> 31)


def deviation(seed: int, sample: int, counter: int) -> int:
    """Draw a sum of four 16-bit words, less its mean."""
    origin = scrambled((scrambled(seed) + sample * GOLDEN) & MASK)
    bits = scrambled((origin + (counter + 1) * GOLDEN) & MASK)
    return sum(bits >> shift & 0xFFFF for shift in (0, 16, 32, 48)) - 131070


def plain_sample(
    profile: Profile, order: Order, noise: Noise, seed: int, sample: int
) -> tuple[int, int, int]:
    """Give makespan, rank span and the busiest rank's work in one sample."""
    m, last = profile.microbatches, len(profile.stages) - 1

    def varied(time: int, part: float, counter: int) -> int:
        return time + round(time * (part / UNIT) * deviation(seed, sample, counter))

    def number(op: Op) -> int:
        kind, stage, j = op
        return 2 * ((stage * m + j) * 4 + KINDS.index(kind))

    def lasts(op: Op) -> int:
        kind, stage, _ = op
        rank = profile.placement[stage]
        cost: Cost = getattr(profile.stages[stage], kind)
        time = cost.time + round(cost.time * noise.slow.get(rank, 0.0))
        return varied(varied(time, noise.rank, 2**63 + rank), noise.op, number(op))

    rows = ops_of(order)
    is_fused = {op[1:] for row in rows for op in row if op[0] == "BW"}
    end: dict[Op, int] = {}

    def arrival(op: Op) -> int | None:
        """Give when an op's input is there; None when it has not been made yet."""
        kind, stage, j = op
        source = stage - 1 if kind == "F" else stage + 1
        if kind == "W" or not 0 <= source <= last:
            return 0
        needed = "F" if kind == "F" else "BW" if (source, j) in is_fused else "B"
        if (needed, source, j) not in end:
            return None
        links = profile.communication_forward if kind == "F" else profile.communication_backward
        latency = links[min(source, stage)]
        crosses = profile.placement[source] != profile.placement[stage]
        travels = varied(latency, noise.op, number(op) + 1) if crosses else 0
        return end[needed, source, j] + travels

    clock, first, work = ([0] * profile.ranks for _ in range(3))
    at = [0] * profile.ranks
    while any(at[rank] < len(row) for rank, row in enumerate(rows)):
        for rank, row in enumerate(rows):
            while at[rank] < len(row) and (ready := arrival(row[at[rank]])) is not None:
                op = row[at[rank]]
                start = max(clock[rank], ready)
                first[rank] = start if at[rank] == 0 else first[rank]
                clock[rank] = end[op] = start + lasts(op)
                work[rank] += lasts(op)
                at[rank] += 1
    spans = [to - since for since, to in zip(first, clock, strict=True)]
    return max(clock), max(spans), max(work)
