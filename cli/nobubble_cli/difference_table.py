"""A difference as a table for people."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from nobubble_cli.comparison_table import aligned

_WHAT = {
    "late": "messages later than planned, before",
    "own": "the rank's own time, before",
}


def difference_table(report: Mapping[str, Any]) -> str:
    """Give a row for every rank, what made the critical chain longer, and what to do with it."""
    unit = report["time_unit"]
    makespan, cost, chain = report["makespan"], report["cost"], report["critical_chain"]
    steps = len(report["steps"])
    which = f"step {report['step']} of {steps} recorded" if steps > 1 else f"step {report['step']}"
    lines = [
        f"{which}: makespan planned {_time(makespan['planned'])} {unit}, measured "
        f"{_time(makespan['measured'])} {unit}, {_signed(makespan['more'])}",
        "",
        f"how much later each rank ended than planned, in {unit}, and why",
    ]
    kinds = [
        kind
        for kind in ("F", "B", "W", "BW")
        if any(kind in rank["more"]["ops"] for rank in report["ranks"])
    ]
    header = ["rank", *kinds, "waits", "late", "own", "in all", "planned", "measured"]
    rows = [
        [
            str(rank["rank"]),
            *(_signed(rank["more"]["ops"].get(kind, 0)) for kind in kinds),
            *(_signed(rank["more"][key]) for key in ("waits", "late", "own", "total")),
            *(_time(rank[key]) for key in ("planned_end", "measured_end")),
        ]
        for rank in report["ranks"]
    ]
    lines += aligned([header, *rows], left=1)
    more = chain["more"]
    lines += [
        "",
        f"what made the iteration longer, along its critical chain, in {unit}: "
        f"ops {_signed(more['ops'])}, late messages {_signed(more['late'])}, ranks' own time "
        f"{_signed(more['own'])}, messages quicker {_signed(more['quicker'])}, absorbed by waits "
        f"of the plan {_signed(more['absorbed'])}; in all {_signed(more['total'])}",
    ]
    lines += [
        f"  rank {cause['rank']}: {_signed(cause['time'])}, {_cause(cause)}"
        for cause in chain["causes"]
    ]
    name = cost["objective"].replace("_", " ")
    lines += [
        "",
        f"with the median times of this run the plan's {name} is "
        f"{_time(cost['with_measured_times'])} {unit} instead of {_time(cost['planned'])} {unit}; "
        "--profile-out writes them, to solve anew",
    ]
    if report["clock_uncertainty"]:
        lines.append(
            f"the clocks of two ranks may differ by {_time(report['clock_uncertainty'])} {unit}"
        )
    return "\n".join(lines) + "\n"


def _cause(cause: Mapping[str, Any]) -> str:
    ops = f"{cause['ops']} op{'s' * (cause['ops'] != 1)}"
    what = _WHAT.get(cause["what"])
    if what is None:
        return f"{cause['what']} slower in {ops}, most in {cause['worst']}"
    return f"{what} {ops}, most before {cause['worst']}"


def _time(value: Decimal | int) -> str:
    return format(round(Decimal(value), 3).normalize(), "f")


def _signed(value: Decimal | int) -> str:
    rounded = round(Decimal(value), 3).normalize()
    return "0" if rounded == 0 else f"{rounded:+f}"
