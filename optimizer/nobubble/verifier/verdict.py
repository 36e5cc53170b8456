"""What was found about a schedule, as a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nobubble.schedule.document import ScheduleDocument


def verdict(document: ScheduleDocument, findings: Sequence[str]) -> dict[str, Any]:
    """Say whether a schedule is valid, and what it is; `findings` are the verifier's."""
    return {
        "valid": not findings,
        "findings": list(findings),
        "profile": document["profile"].get("name"),
        "profile_sha256": document["profile_sha256"],
        "method": document["method"],
        "status": document["status"],
        "objective": document["objective"],
        "requires": document["requires"],
        "time_unit": document["profile"]["time_unit"],
        # Figures of a schedule that is not valid say nothing.
        "cost": None if findings else document["cost"],
        "lower_bound": None if findings else document["lower_bound"],
        "bound": document["bound"],
    }
