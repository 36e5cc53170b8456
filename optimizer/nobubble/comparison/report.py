"""A comparison as JSON, and the recommendation in words."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

from nobubble.comparison.compare import Comparison
from nobubble.comparison.row import Row

SCHEMA: Final = "nobubble.comparison/1"


def comparison_report(comparison: Comparison) -> dict[str, Any]:
    """Give a comparison as `nobubble compare` prints it, without the schedules themselves."""
    model = comparison.model
    return {
        "schema": SCHEMA,
        "name": model.name,
        "time_unit": model.time_unit,
        "memory_unit": model.memory_unit,
        "ranks": model.ranks,
        "microbatches": model.microbatches,
        "layers": len(model.layers),
        "objective": model.objective,
        "recommended": 0,
        "reason": recommendation(comparison),
        "rows": [_row(row) for row in comparison.rows],
        "left_out": [
            {"family": one.family, "method": one.method, "reason": one.reason}
            for one in comparison.left_out
        ],
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "family": row.family,
        "method": row.method,
        "found_by": row.found_by,
        "backward": row.backward,
        "placement": row.document["placement"],
        "partition": None if row.partition is None else list(row.partition),
        "cost": row.cost,
        "lower_bound": row.lower_bound,
        "gap": row.gap,
        "status": row.status,
        "makespan": row.makespan,
        "rank_span": row.rank_span,
        "bubble_rate": row.bubble_rate,
        "peak_memory": list(row.peak_memory),
        "transfers": row.transfers,
        "profile_sha256": row.document["profile_sha256"],
    }


def recommendation(comparison: Comparison) -> str:
    """Say in a sentence or two what to take, and why."""
    best, model = comparison.best, comparison.model
    unit, memory = model.time_unit, model.memory_unit
    words = [f"Take {_called(best)}: {_number(best.cost)} {unit} ({model.objective})"]
    others = [row for row in comparison.rows if row.family != best.family]
    if others:
        words.append(f"{_against(best, others[0])} the best of {others[0].family}")
    named = [row for row in comparison.rows if row.method == "1f1b" and row is not best]
    if named:
        words.append(f"{_against(best, named[0])} 1f1b")
    text = ", ".join(words)
    if any(best.peak_memory):
        highest = max(best.peak_memory)
        rank = best.peak_memory.index(highest)
        limit = best.document["metrics"]["ranks"][rank]["memory_limit"]
        of_it = "" if limit is None else f" of {_number(limit)}"
        text += f". It holds at most {_number(highest)}{of_it} {memory}, on rank {rank}"
    if best.status == "optimal":
        text += f". No schedule of {best.family} with these stages is shorter"
    elif best.gap:
        text += f". At most {_percent(best.gap)} can be gained with these stages"
    return text + "."


def _called(row: Row) -> str:
    found = row.found_by if row.method == row.found_by else f"as {row.found_by} finds it"
    return f"{row.family}, {found}, backward {row.backward}"


def _against(best: Row, other: Row) -> str:
    if other.cost == best.cost:
        return "as long as"
    return f"{_percent(1 - float(best.cost / other.cost))} shorter than"


def _number(value: Decimal | int | float) -> str:
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def _percent(part: float) -> str:
    return f"{100 * part:.2f} %"
