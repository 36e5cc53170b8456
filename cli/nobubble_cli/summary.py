"""The figures of a schedule in a few lines."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING

from nobubble.methods import IMPORTED

if TYPE_CHECKING:
    from nobubble.schedule.document import Number, ScheduleDocument

_ENDING = {
    "proof": "the cost meets the bound",
    "completed": "all that the method tries was tried",
    "work": "the work of this effort is done",
    "time_limit": "cut short by the time limit",
    "stopped": "stopped on request",
}


def summary(
    document: ScheduleDocument, *, written_to: str, more: Sequence[tuple[str, str]] = ()
) -> list[str]:
    """Give the figures of a schedule, aligned.

    Parameters
    ----------
    document : ScheduleDocument
    written_to : str
        Where it is now.
    more : sequence of (str, str)
        Further figures, each with its label; a label is not repeated.
    """
    unit = document["profile"]["time_unit"]
    metrics = document["metrics"]
    rows = [
        ("method", document["method"]),
        ("cost", f"{_number(document['cost'])} {unit} ({document['objective']})"),
        ("lower bound", f"{_number(document['lower_bound'])} {unit} ({document['bound']})"),
        ("gap", _percent(document["gap"])),
        ("makespan", f"{_number(metrics['makespan'])} {unit}"),
        ("rank span", f"{_number(metrics['rank_span'])} {unit}"),
        ("bubble", _percent(metrics["bubble_rate"])),
        ("idle", _percent(metrics["idle_rate"])),
        *_peak_memory(document),
        ("status", f"{document['status']} ({_ending(document)})"),
    ]
    if "post_validation" in document["requires"]:
        rows.append(
            (
                "requires",
                "post-validation: every rank begins its next iteration as soon as it has finished "
                "its own",
            )
        )
        rows.append(
            (
                "",
                "under an optimizer that waits for all ranks an iteration takes the makespan, "
                f"{_number(metrics['makespan'])} {unit}",
            )
        )
    labels = ["", *(label for label, _ in more)]
    for (label, text), before in zip(more, labels, strict=False):
        rows.append(("" if label == before else label, text))
    rows.append(("written to", written_to))
    width = max(len(label) for label, _ in rows)
    return [f"{label:{width}}  {text}" for label, text in rows]


def _ending(document: ScheduleDocument) -> str:
    """Say what ended the search for a better schedule."""
    if document["method"] == IMPORTED and document["stopped_by"] == "completed":
        return "nothing better was looked for"
    return _ENDING[document["stopped_by"]]


def _peak_memory(document: ScheduleDocument) -> list[tuple[str, str]]:
    """Give the highest peak, and the rank and limit it belongs to; nothing without any memory."""
    unit = document["profile"]["memory_unit"]
    rank = max(document["metrics"]["ranks"], key=lambda rank: rank["peak_memory"])
    limit = rank["memory_limit"]
    of_limit = "no limit" if limit is None else f"limit {_number(limit)} {unit}"
    if rank["peak_memory"] == 0 and limit is None:
        return []
    peak = f"{_number(rank['peak_memory'])} {unit}"
    return [("peak memory", f"{peak} on rank {rank['rank']}, {of_limit}")]


def _number(value: Number) -> str:
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def _percent(rate: Number) -> str:
    """Give a rate in per cent; only one that is 0 reads as 0."""
    text = f"{100 * rate:.2f} %"
    return "< 0.01 %" if rate > 0 and text == "0.00 %" else text
