"""Valid schedule documents to start from, made from hand-written and from random orders."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from nobubble.bounds.bound import Bound
from nobubble.order import Order, letter
from nobubble.problem import BW, KINDS, B, F, Problem, W
from nobubble.profile.model import Profile
from nobubble.profile.reading import parse_profile
from nobubble.schedule.building import build_schedule
from nobubble.schedule.document import ScheduleDocument
from nobubble.schedule.reading import parse_schedule
from nobubble.schedule.writing import json_text
from nobubble.timing import time_of
from tests.profile.examples import profiles

SPLIT: dict[str, Any] = {
    "F": {"time": 10, "memory": 4, "workspace": 1},
    "B": {"time": 10, "memory": -1},
    "W": {"time": 5, "memory": -3},
}


def written(**keys: Any) -> dict[str, Any]:
    """Give a valid profile of 2 ranks and 2 microbatches, with some keys replaced or added."""
    return {
        "schema": "nobubble.profile/1",
        "time_unit": "ms",
        "memory_unit": "MiB",
        "ranks": 2,
        "microbatches": 2,
        "stages": SPLIT,
        "communication": 0.5,
        "memory_limit": 20,
        **keys,
    }


def made(profile: Profile, orders: Sequence[Sequence[int]], method: str = "search") -> Any:
    """Give the document of an order, as it is read back; its lower bound is half its cost.

    Its name is a solver's: that is believed, and nothing about it is checked but that it fits.
    """
    problem = Problem.of(profile)
    order = Order.of(orders)
    timing = time_of(problem, order)
    document = build_schedule(
        profile,
        problem,
        order,
        timing,
        Bound("cpsat", timing.cost(problem) // 2),
        method=method,
        stopped_by="completed",
        options={"method": "auto", "seed": 0},
    )
    return read_back(document)


def read_back(document: ScheduleDocument) -> Any:
    """Give a document as it is read from its text; Any, so that a test can spoil it."""
    return parse_schedule(json.loads(json_text(document), parse_float=Decimal))


def row(text: str) -> list[int]:
    """Give the letters of a rank from text such as ``F0 F0 B0 W0``: kind and stage."""
    kinds: dict[str, int] = {name: kind for kind, name in enumerate(KINDS)}
    return [
        letter(int(word.lstrip("FBW")), kinds[word.rstrip("0123456789")]) for word in text.split()
    ]


def document(*rows: str, method: str = "search", **keys: Any) -> Any:
    """Give the document of hand-written orders of `written(**keys)`."""
    return made(parse_profile(written(**keys)), [row(text) for text in rows], method)


def simple() -> Any:
    """Give a document of 2 ranks and 2 microbatches; it is valid."""
    return document("F0 F0 B0 W0 B0 W0", "F1 B1 F1 B1 W1 W1")


def interleaved() -> Any:
    """Give a document of 2 ranks with 2 stages each, 0 and 2, 1 and 3."""
    return document(
        "F0 F0 F2 F2 B2 W2 B2 W2 B0 W0 B0 W0",
        "F1 F1 F3 B3 W3 F3 B3 W3 B1 W1 B1 W1",
        placement="interleaved",
        stages=[{"F": {"time": 10}, "B": {"time": 10}, "W": {"time": 5}}] * 4,
        memory_limit=None,
    )


def ring() -> Any:
    """Give a document of 3 ranks with 2 stages each, in which nothing takes time."""
    instant = {"F": {"time": 0}, "B": {"time": 0}, "W": {"time": 0}}
    return document(
        "F0 F3 B3 B0 W3 W0",
        "F1 F4 B4 B1 W4 W1",
        "F2 F5 B5 B2 W5 W2",
        ranks=3,
        microbatches=1,
        placement="interleaved",
        stages=[instant] * 6,
        communication=0,
        memory_limit=None,
    )


def actions(schedule: Any, rank: int) -> Any:
    """Give the actions of a rank."""
    return schedule["ranks"][rank]["actions"]


def find(schedule: Any, rank: int, op: str, stage: int, microbatch: int) -> Any:
    """Give one action of a rank."""
    return next(
        action
        for action in actions(schedule, rank)
        if (action["op"], action["stage"], action["microbatch"]) == (op, stage, microbatch)
    )


def remove(schedule: Any, rank: int, op: str, stage: int, microbatch: int) -> Any:
    """Take an action out of a rank's, and give it."""
    action = find(schedule, rank, op, stage, microbatch)
    actions(schedule, rank).remove(action)
    return action


def swap(schedule: Any, rank: int, one: int, other: int) -> None:
    """Swap two actions of a rank."""
    row = actions(schedule, rank)
    row[one], row[other] = row[other], row[one]


def any_order(profile: Profile, choose: Callable[[int], int]) -> list[list[int]]:
    """Give an order that can run, every next op being `choose(number of ops that can)`."""
    stages, m = len(profile.stages), profile.microbatches
    forwards, backwards, owed = [0] * stages, [0] * stages, [0] * stages
    rows: list[list[int]] = [[] for _ in range(profile.ranks)]
    while True:
        ready: list[tuple[int, int]] = []
        for s, stage in enumerate(profile.stages):
            if forwards[s] < (forwards[s - 1] if s else m):
                ready.append((s, F))
            if backwards[s] < (backwards[s + 1] if s < stages - 1 else forwards[s]):
                ready += [(s, B)] * (stage.backward != "fused")
                ready += [(s, BW)] * (stage.backward != "split")
            if owed[s]:
                ready.append((s, W))
        if not ready:
            return rows
        s, kind = ready[choose(len(ready))]
        rows[profile.placement[s]].append(letter(s, kind))
        forwards[s] += kind == F
        backwards[s] += kind in (B, BW)
        owed[s] += (kind == B) - (kind == W)


def small(profile: Profile, microbatches: int, times: int) -> Profile:
    """Give a profile few microbatches, times below a number, and no limits."""
    stages = [
        replace(
            stage,
            F=replace(stage.F, time=stage.F.time % times),
            B=replace(stage.B, time=stage.B.time % times),
            W=replace(stage.W, time=stage.W.time % times),
            BW=replace(stage.BW, time=stage.BW.time % times),
        )
        for stage in profile.stages
    ]
    return replace(
        profile,
        microbatches=microbatches,
        stages=tuple(stages),
        communication_forward=tuple(time % times for time in profile.communication_forward),
        communication_backward=tuple(time % times for time in profile.communication_backward),
        memory_limit=(None,) * profile.ranks,
    )


@st.composite
def schedules(draw: st.DrawFn) -> Any:
    """Any schedule of a few ranks, any placement and any way of running backward."""
    # With times below 3 many ops take none, and tie with others.
    profile = small(draw(profiles()), draw(st.integers(1, 4)), draw(st.sampled_from([3, 10**9])))
    random = draw(st.randoms(use_true_random=False))
    return made(profile, any_order(profile, random.randrange))
