"""From an order and its timing to a schedule document."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Literal

import numpy as np

from nobubble._version import __version__
from nobubble.bounds.bound import Bound
from nobubble.order import Order
from nobubble.problem import KINDS, F, Problem
from nobubble.profile.canonical import profile_sha256
from nobubble.profile.document import profile_document
from nobubble.profile.model import Profile
from nobubble.schedule.document import (
    SCHEMA,
    Action,
    Metrics,
    RankActions,
    ScheduleDocument,
    StoppedBy,
)
from nobubble.schedule.transfers import events
from nobubble.timing import Timing
from nobubble.units import MEMORY_UNITS, TIME_UNITS, in_unit


def build_schedule(
    profile: Profile,
    problem: Problem,
    order: Order,
    timing: Timing,
    bound: Bound,
    *,
    method: str,
    stopped_by: StoppedBy,
    options: Mapping[str, Any],
) -> ScheduleDocument:
    """Make the document of a schedule.

    Parameters
    ----------
    profile, problem : Profile, Problem
        The profile as solved, and its arrays.
    order, timing : Order, Timing
        The schedule.
    bound : Bound
        The best lower bound on the objective.
    method : str
        What found the schedule.
    stopped_by : {"proof", "completed", "work", "time_limit", "stopped"}
        What ended the search for a better one.
    options : mapping
        What was asked for.
    """
    time_unit = TIME_UNITS[profile.time_unit]
    cost = timing.cost(problem)
    return {
        "schema": SCHEMA,
        "profile": profile_document(profile),
        "profile_sha256": profile_sha256(profile),
        "generator": {"name": "nobubble", "version": __version__, "options": dict(options)},
        "method": method,
        "stopped_by": stopped_by,
        "status": "optimal" if bound.value == cost else "feasible",
        "objective": profile.objective,
        "requires": ["post_validation"] if profile.objective == "rank_span" else [],
        "cost": in_unit(cost, time_unit),
        "lower_bound": in_unit(bound.value, time_unit),
        "bound": bound.name,
        "gap": (cost - bound.value) / cost if cost else 0.0,
        "metrics": _metrics(profile, problem, order, timing),
        "placement": list(profile.placement),
        "ranks": _actions(problem, order, timing, time_unit),
    }


def _metrics(profile: Profile, problem: Problem, order: Order, timing: Timing) -> Metrics:
    time_unit, memory_unit = TIME_UNITS[profile.time_unit], MEMORY_UNITS[profile.memory_unit]
    busy = np.zeros(problem.ranks, dtype=np.int64)
    np.add.at(busy, order.ranks(), timing.end - timing.start)
    cost = timing.cost(problem)
    return {
        "makespan": in_unit(timing.makespan, time_unit),
        "rank_span": in_unit(timing.rank_span, time_unit),
        "bubble_rate": 1 - int(busy.max()) / cost if cost else 0.0,
        "idle_rate": 1 - int(busy.sum()) / (problem.ranks * cost) if cost else 0.0,
        "ranks": [
            {
                "rank": rank,
                "busy": in_unit(int(busy[rank]), time_unit),
                "start": in_unit(int(timing.first_start[rank]), time_unit),
                "end": in_unit(int(timing.last_end[rank]), time_unit),
                "peak_memory": in_unit(int(timing.peak_memory[rank]), memory_unit),
                "memory_limit": None if limit is None else in_unit(limit, memory_unit),
            }
            for rank, limit in enumerate(profile.memory_limit)
        ],
    }


def _actions(problem: Problem, order: Order, timing: Timing, time_unit: int) -> list[RankActions]:
    ranks: list[RankActions] = [{"rank": rank, "actions": []} for rank in range(problem.ranks)]
    rows = [rank["actions"] for rank in ranks]
    rank_of = problem.rank_of.tolist()
    letters = order.letters.tolist()
    microbatches = order.microbatches().tolist()
    start: list[int | Decimal] = [in_unit(at, time_unit) for at in timing.start.tolist()]
    end: list[int | Decimal] = [in_unit(at, time_unit) for at in timing.end.tolist()]
    sequence = events(problem, order, timing)
    for place, is_transfer in zip(
        sequence.place.tolist(), sequence.is_transfer.tolist(), strict=True
    ):
        stage, kind = divmod(letters[place], 4)
        j = microbatches[place]
        if is_transfer:
            _transfer(rows, rank_of, stage, "F" if kind == F else "B", j)
        else:
            rows[rank_of[stage]].append(
                {
                    "op": KINDS[kind],
                    "stage": stage,
                    "microbatch": j,
                    "start": start[place],
                    "end": end[place],
                }
            )
    return ranks


def _transfer(
    rows: list[list[Action]],
    rank_of: list[int],
    stage: int,
    direction: Literal["F", "B"],
    microbatch: int,
) -> None:
    """List the transfer of a stage's output on both ranks."""
    target = stage + 1 if direction == "F" else stage - 1
    here, there = rank_of[stage], rank_of[target]
    send: Literal["SEND_F", "SEND_B"] = "SEND_F" if direction == "F" else "SEND_B"
    receive: Literal["RECV_F", "RECV_B"] = "RECV_F" if direction == "F" else "RECV_B"
    rows[here].append({"op": send, "stage": stage, "microbatch": microbatch, "peer": there})
    rows[there].append({"op": receive, "stage": target, "microbatch": microbatch, "peer": here})
