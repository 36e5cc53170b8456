"""What was found about a schedule, as a document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nobubble.profile.reading import parse_profile
from nobubble.schedule.document import ScheduleDocument
from nobubble.units import in_unit
from nobubble.verifier.bound import is_proven, proven_bound
from nobubble.verifier.subject import Subject, whole


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
        "proven": None if findings else _proven(document),
    }


def _proven(document: ScheduleDocument) -> dict[str, Any]:
    """Say what the verifier itself proves about the cost of a valid schedule."""
    subject = Subject(document, parse_profile(document["profile"]))
    bound = proven_bound(subject)
    return {
        "lower_bound": in_unit(bound.value, subject.time_size),
        "bound": bound.name,
        "optimal": whole(document["cost"], subject.time_size) == bound.value,
        "as_claimed": is_proven(document, bound, subject.time_size),
    }
