"""Tests that numbering microbatches by their place delays nothing."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from nobubble.imports import import_schedule, table_of_text
from nobubble.profile.model import Profile
from nobubble.units import TIME_UNITS
from nobubble.verifier.subject import whole
from tests.profile.examples import profiles
from tests.verifier.examples import small

Op = tuple[str, int, int]


def inputs(op: Op, stages: int) -> list[Op]:
    """Give what an op of a split backward needs."""
    kind, stage, j = op
    match kind:
        case "F":
            return [("F", stage - 1, j)] if stage else []
        case "I":
            return [("F", stage, j), *([("I", stage + 1, j)] if stage + 1 < stages else [])]
        case _:
            return [("I", stage, j)]


@st.composite
def any_microbatch_first(draw: st.DrawFn) -> tuple[Profile, list[list[Op]], list[Op]]:
    """Give a profile, and an order of its ops on every rank and of all: any that can run.

    The last stage's F's ascend, or the table would be refused.
    """
    profile = small(draw(profiles()), draw(st.integers(2, 4)), draw(st.sampled_from([3, 10**9])))
    stages, m = len(profile.stages), profile.microbatches
    left = [(kind, s, j) for kind in "FIW" for s in range(stages) for j in range(m)]
    sequence: list[Op] = []
    rows: list[list[Op]] = [[] for _ in range(profile.ranks)]
    random = draw(st.randoms(use_true_random=False))
    while left:
        ready = [
            op
            for op in left
            if all(need not in left for need in inputs(op, stages))
            and (op[:2] != ("F", stages - 1) or op[2] == 0 or (*op[:2], op[2] - 1) not in left)
        ]
        op = ready[random.randrange(len(ready))]
        left.remove(op)
        sequence.append(op)
        rows[profile.placement[op[1]]].append(op)
    return profile, rows, sequence


def starts(profile: Profile, rows: list[list[Op]], sequence: list[Op]) -> dict[Op, int]:
    """Give when each op starts as the table stands, in ns."""
    before = {later: op for row in rows for op, later in pairwise(row)}
    start: dict[Op, int] = {}
    end: dict[Op, int] = {}
    for op in sequence:
        kind, stage, _ = op
        cost = getattr(profile.stages[stage], {"I": "B"}.get(kind, kind))
        start[op] = end[before[op]] if op in before else 0
        for need in inputs(op, len(profile.stages)):
            there = need[1]
            latency = 0
            if profile.placement[there] != profile.placement[stage]:
                forward = there < stage
                ways = (profile.communication_backward, profile.communication_forward)
                latency = ways[forward][min(there, stage)]
            start[op] = max(start[op], end[need] + latency)
        end[op] = start[op] + cost.time
    return start


@given(any_microbatch_first())
def test_no_op_starts_later(case: tuple[Profile, list[list[Op]], list[Op]]) -> None:
    """Tests every op in its place against the same place of the table as it stands."""
    profile, rows, sequence = case
    text = "".join(",".join(f"{s}{kind}{j}" for kind, s, j in row) + "\n" for row in rows)
    document: Any = import_schedule(table_of_text(text), profile).document
    as_it_stands = starts(profile, rows, sequence)
    for row, rank in zip(rows, document["ranks"], strict=True):
        ops = [action for action in rank["actions"] if "start" in action]
        for op, action in zip(row, ops, strict=True):
            start = whole(action["start"], TIME_UNITS[profile.time_unit])
            assert start is not None
            assert start <= as_it_stands[op]
