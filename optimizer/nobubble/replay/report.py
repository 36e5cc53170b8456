"""What a replay says, as JSON."""

from __future__ import annotations

from dataclasses import asdict
from decimal import Decimal
from typing import Any

from nobubble.problem import KINDS
from nobubble.replay.distribution import Distribution
from nobubble.replay.replay import Replay
from nobubble.schedule.document import ScheduleDocument
from nobubble.units import TIME_UNITS, in_unit


def report(document: ScheduleDocument, result: Replay) -> dict[str, Any]:
    """Give the figures of a replay, times in the profile's time unit.

    Returns
    -------
    dict
        ``increase`` holds parts of the plan's cost: of the mean and of the 95th percentile, and of
        the mean what the busiest rank's work grows by (``work``: every order pays it) and the rest
        (``order``: what ranks wait for others more than in the plan, or less).
    """
    unit = TIME_UNITS[document["profile"]["time_unit"]]
    cost = Distribution.of(result.cost)
    growth = sum(result.cost.tolist()) - len(result.cost) * result.plan
    of_work = sum(result.work.tolist()) - len(result.work) * result.plan_work

    def of_plan(time: int, samples: int = 1) -> float:
        return time / (samples * result.plan) if result.plan else 0.0

    def times(distribution: Distribution) -> dict[str, int | Decimal]:
        return {name: in_unit(time, unit) for name, time in asdict(distribution).items()}

    n = len(result.cost)
    return {
        "profile": document["profile"].get("name"),
        "profile_sha256": document["profile_sha256"],
        "method": document["method"],
        "objective": document["objective"],
        "requires": document["requires"],
        "time_unit": document["profile"]["time_unit"],
        "plan": in_unit(result.plan, unit),
        "cost": times(cost),
        "increase": {
            "mean": of_plan(growth, n),
            "work": of_plan(of_work, n),
            "order": of_plan(growth - of_work, n),
            "p95": of_plan(cost.p95 - result.plan),
        },
        "critical": {
            "ranks": list(result.critical_ranks),
            "kinds": dict(zip((*KINDS, "communication"), result.critical_kinds, strict=True)),
        },
    }
