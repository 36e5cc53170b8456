"""One schedule in the table."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from nobubble.comparison.candidates import Candidate

if TYPE_CHECKING:
    from nobubble.schedule.document import Number, ScheduleDocument


@dataclass(frozen=True, slots=True)
class Row:
    """A schedule and its figures, in the units of its profile.

    Attributes
    ----------
    family : str
    method : str
        What was asked for: ``auto``, or a schedule by name.
    found_by : str
        What found it.
    backward : {"split", "fused", "mixed"}
        How the schedule runs backward.
    partition : tuple of int, shape (S,), or None
        Layers of every stage.
    cost, makespan, rank_span, lower_bound : Decimal
    bubble_rate, gap : float
    status : {"optimal", "feasible"}
    peak_memory : tuple of Decimal, shape (p,)
    fullness : Decimal
        The highest peak over its rank's limit, or the highest peak where a rank has none.
    transfers : int
        What is sent from rank to rank in an iteration, activations and gradients.
    document : ScheduleDocument
    """

    family: str
    method: str
    found_by: str
    backward: Literal["split", "fused", "mixed"]
    partition: tuple[int, ...] | None
    cost: Decimal
    makespan: Decimal
    rank_span: Decimal
    lower_bound: Decimal
    bubble_rate: float
    gap: float
    status: Literal["optimal", "feasible"]
    peak_memory: tuple[Decimal, ...]
    fullness: Decimal
    transfers: int
    document: ScheduleDocument


def row_of(candidate: Candidate, document: ScheduleDocument) -> Row:
    """Give the row of a candidate's schedule."""
    metrics = document["metrics"]
    peaks = tuple(_decimal(rank["peak_memory"]) for rank in metrics["ranks"])
    limits = [rank["memory_limit"] for rank in metrics["ranks"]]
    shares = [
        peak / _decimal(limit)
        for peak, limit in zip(peaks, limits, strict=True)
        if limit is not None and limit != 0
    ]
    placement = document["placement"]
    crossings = sum(one != other for one, other in pairwise(placement))
    return Row(
        family=candidate.family,
        method=candidate.method,
        found_by=document["method"],
        backward=_backward(document),
        partition=candidate.profile.partition,
        cost=_decimal(document["cost"]),
        makespan=_decimal(metrics["makespan"]),
        rank_span=_decimal(metrics["rank_span"]),
        lower_bound=_decimal(document["lower_bound"]),
        bubble_rate=float(metrics["bubble_rate"]),
        gap=float(document["gap"]),
        status=document["status"],
        peak_memory=peaks,
        fullness=max(shares) if shares else max(peaks),
        transfers=2 * crossings * candidate.profile.microbatches,
        document=document,
    )


def _backward(document: ScheduleDocument) -> Literal["split", "fused", "mixed"]:
    """Say how a schedule runs backward."""
    ops = {action["op"] for rank in document["ranks"] for action in rank["actions"]}
    if "BW" not in ops:
        return "split"
    return "mixed" if "B" in ops else "fused"


def _decimal(number: Number) -> Decimal:
    return number if isinstance(number, Decimal) else Decimal(str(number))
