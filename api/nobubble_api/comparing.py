"""Comparisons: what is solved for one, and the table of the answers. Runs in workers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, cast

from nobubble.comparison.candidates import Candidates, family_candidates, together
from nobubble.comparison.compare import comparison_of
from nobubble.comparison.families import Family, families
from nobubble.comparison.report import comparison_report
from nobubble.errors import InfeasibleError, NobubbleError, NoScheduleError
from nobubble.profile.layered import LayeredModel
from nobubble.schedule.document import ScheduleDocument
from nobubble.schedule.writing import json_text
from nobubble_api.bodies import CompareOptions
from nobubble_api.store.model import Job
from nobubble_api.work import content_hash


def planned(model: LayeredModel, family: Family, options: CompareOptions) -> Candidates:
    """Give what is solved of one family: its layers are cut here, which may take seconds."""
    return family_candidates(model, family, method=options.method, splitting=options.partition)


def compared(
    model: LayeredModel,
    planned_of: Sequence[Candidates],
    outcomes: Sequence[bytes | NobubbleError],
) -> str:
    """Give the table as JSON, with the content hash of every schedule.

    Parameters
    ----------
    model : LayeredModel
    planned_of : sequence of Candidates
        Of every family.
    outcomes : sequence of bytes or NobubbleError
        Of every candidate of every family: its schedule, or why there is none.

    Raises
    ------
    InfeasibleError, NoScheduleError
        Nothing fits.
    """
    _, left_out = families(model)
    hashes: dict[int, str] = {}
    documents: list[ScheduleDocument | Exception] = []
    for outcome in outcomes:
        if isinstance(outcome, bytes):
            document = cast(ScheduleDocument, json.loads(outcome, parse_float=Decimal))
            hashes[id(document)] = content_hash(outcome)
            documents.append(document)
        else:
            documents.append(outcome)
    comparison = comparison_of(model, together(planned_of, left_out), documents)
    report = comparison_report(comparison)
    for written, row in zip(report["rows"], comparison.rows, strict=True):
        written["schedule"] = hashes[id(row.document)]
    return json_text(report)


def failure_of(job: Job) -> NobubbleError:
    """Give why a job has no schedule."""
    problem: dict[str, Any] = dict(job.problem or {})
    detail = str(problem.get("detail", "it was cancelled"))
    if {"rank", "limit", "needed"} <= set(problem):
        return InfeasibleError(
            detail, rank=problem["rank"], limit=problem["limit"], needed=problem["needed"]
        )
    return NoScheduleError(detail)
