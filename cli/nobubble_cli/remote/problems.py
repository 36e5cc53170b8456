"""What a service answers when it cannot do something, as the errors that the core has for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nobubble.errors import (
    Fault,
    InfeasibleError,
    InputError,
    NobubbleError,
    NoScheduleError,
    ProfileError,
    VerificationError,
)


class ServerError(NobubbleError):
    """The service cannot be asked now, or breaks off: there is no schedule from it."""

    exit_code = 4


def error_of(problem: Mapping[str, Any], source: str) -> NobubbleError:
    """Give the error of a problem document, with the exit code that it would have here.

    Parameters
    ----------
    problem : mapping
        RFC 9457.
    source : str
        The file that was sent.
    """
    slug = str(problem.get("type", "")).rpartition("/")[2]
    detail = str(problem.get("detail") or problem.get("title") or "no reason given")
    if slug == "bad-profile" and problem.get("errors"):
        faults = [
            Fault(str(place["pointer"]).removeprefix("/profile"), str(place["message"]))
            for place in problem["errors"]
        ]
        return ProfileError(source, faults)
    if slug == "infeasible":
        return InfeasibleError(
            detail,
            rank=int(problem["rank"]),
            limit=int(problem["limit"]),
            needed=int(problem["needed"]),
        )
    if slug == "no-schedule":
        return NoScheduleError(detail)
    if slug == "verification-failed":
        return VerificationError(problem.get("findings") or [detail])
    if slug in ("too-busy", "unavailable", "internal", "worker-lost", "timeout"):
        return ServerError(f"the server could not do it: {detail}")
    return InputError(f"the server refused it: {detail}")
