"""A difference as JSON: what `nobubble diff` prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from nobubble.profile.model import Profile
from nobubble.runs.difference import Difference, Link, Part
from nobubble.runs.reading import Op, Run, Step
from nobubble.units import TIME_UNITS, in_unit

SCHEMA: Final = "nobubble.diff/1"
MOST_CAUSES: Final = 5


def diff_report(
    profile: Profile, run: Run, step: Step, found: Difference, cost: tuple[int, int]
) -> dict[str, Any]:
    """Give a difference in the profile's unit of time.

    Parameters
    ----------
    profile : Profile
    run, step : Run, Step
        The step of the run that was compared.
    found : Difference
    cost : (int, int)
        The planned cost, and what the plan costs with the run's median times, in ns.
    """
    size = TIME_UNITS[profile.time_unit]

    def time(ns: int) -> Any:
        return in_unit(ns, size)

    planned, measured = found.planned_makespan, found.measured_makespan
    return {
        "schema": SCHEMA,
        "time_unit": profile.time_unit,
        "step": step.number,
        "steps": [{"step": each.number, "makespan": time(each.makespan)} for each in run.steps],
        "clock_uncertainty": time(run.uncertainty),
        "makespan": {
            "planned": time(planned),
            "measured": time(measured),
            "more": time(measured - planned),
        },
        "cost": {
            "objective": profile.objective,
            "planned": time(cost[0]),
            "with_measured_times": time(cost[1]),
        },
        "ranks": [
            {
                "rank": rank,
                "planned_end": time(found.planned[rank].total()),
                "measured_end": time(found.measured[rank].total()),
                "more": _part(found.of_rank(rank), time),
            }
            for rank in range(len(found.planned))
        ],
        "critical_chain": {
            "more": _chain_part(found.chain, found.slack, time),
            "causes": [
                {"rank": rank, "what": what, "time": time(amount), "ops": count, "worst": worst}
                for rank, what, amount, count, worst in causes(found.chain)
            ],
        },
    }


def _part(part: Part, time: Any) -> dict[str, Any]:
    return {
        "ops": {kind: time(part.ops[kind]) for kind in ("F", "B", "W", "BW") if kind in part.ops},
        "waits": time(part.waits),
        "late": time(part.late),
        "own": time(part.own),
        "total": time(part.total()),
    }


def _chain_part(chain: Iterable[Link], slack: int, time: Any) -> dict[str, Any]:
    links = list(chain)
    ops = sum(link.ran.time - link.planned for link in links)
    quicker = sum(link.quicker for link in links)
    late, own = sum(link.late for link in links), sum(link.own for link in links)
    return {
        "ops": time(ops),
        "late": time(late),
        "own": time(own),
        "quicker": time(-quicker),
        "absorbed": time(-slack),
        "total": time(ops + late + own - quicker - slack),
    }


def causes(chain: Sequence[Link]) -> list[tuple[int, str, int, int, str]]:
    """Give what made the critical chain longer, the largest first.

    Returns
    -------
    list of (rank, what, ns, number of ops, the op with most of it)
        `what` is F, B, W or BW (it took longer), late (its message did) or own.
    """
    amounts: dict[tuple[int, str], list[tuple[int, Op]]] = {}
    for link in chain:
        for what, amount in (
            (link.ran.op[0], link.ran.time - link.planned),
            ("late", link.late),
            ("own", link.own),
        ):
            amounts.setdefault((link.rank, what), []).append((amount, link.ran.op))
    found = []
    for (rank, what), each in amounts.items():
        total = sum(amount for amount, _ in each)
        if total > 0:
            _, (kind, stage, microbatch) = max(each, key=lambda one: one[0])
            count = sum(amount > 0 for amount, _ in each)
            found.append((rank, what, total, count, f"{kind}({stage}, {microbatch})"))
    return sorted(found, key=lambda one: (-one[2], one[0], one[1]))[:MOST_CAUSES]
