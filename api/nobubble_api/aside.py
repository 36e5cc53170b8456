"""What is computed beside solves, in a worker of its own: bounds, checks and pictures."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, cast

from nobubble.profile.model import Profile
from nobubble.schedule.document import ScheduleDocument
from nobubble.schedule.writing import json_text


@dataclass(frozen=True, slots=True)
class Form:
    """A form in which a schedule is given."""

    suffix: str
    media_type: str


FORMS: Final = {
    "json": Form(".json", "application/json"),
    "svg": Form(".svg", "image/svg+xml"),
    "html": Form(".html", "text/html"),
    "trace": Form(".trace.json", "application/vnd.chrome.trace+json"),
    "torch-csv": Form(".csv", "text/csv"),
    "torch-csv-comms": Form(".comms.csv", "text/csv"),
}
"""The schedule document, a picture, a page, a Chrome or Perfetto trace, and PyTorch's tables."""


def bound(profile: Profile) -> str:
    """Give the lower bounds of a profile, as `nobubble bound` prints them.

    Raises
    ------
    InfeasibleError
        No schedule keeps within the memory limits.
    """
    from nobubble.bounds.report import bounds_report

    return json_text(bounds_report(profile))


def require_schedule(profile: Profile) -> None:
    """Make sure that a schedule exists.

    Raises
    ------
    InfeasibleError
        No schedule keeps within the memory limits.
    """
    from nobubble.problem import Problem
    from nobubble.solvers.memory import require_feasible

    require_feasible(profile, Problem.of(profile))


def verify(document: ScheduleDocument, profile: Profile | None) -> str:
    """Give the verdict on a schedule, as `nobubble verify` prints it."""
    from nobubble.verifier.verdict import verdict
    from nobubble.verifier.verify import verify as findings_of

    return json_text(verdict(document, findings_of(document, profile)))


def solved_tiny() -> str:
    """Solve a profile of two ranks, to see that it can be done; give the hash of what it is."""
    from nobubble.profile.reading import parse_profile
    from nobubble.solve import solve

    op = {"time": 1}
    profile = parse_profile(
        {
            "schema": "nobubble.profile/1",
            "time_unit": "ms",
            "ranks": 2,
            "microbatches": 2,
            "stages": {"F": op, "B": op, "W": op},
        }
    )
    return solve(profile, effort="fast")["profile_sha256"]


def drawn(document: bytes, form: str) -> str:
    """Give a schedule in another of `FORMS`, as `nobubble render` writes it."""
    parsed = cast(ScheduleDocument, json.loads(document, parse_float=Decimal))
    if form == "svg":
        from nobubble.pictures.svg import svg

        return svg(parsed)
    if form == "html":
        from nobubble.pictures.html import html

        return html(parsed)
    if form == "trace":
        from nobubble.pictures.trace import trace

        return trace(parsed)
    from nobubble.exports import export

    return export(parsed, form)
