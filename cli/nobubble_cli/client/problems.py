"""The errors of a service as the errors of the command line, with the same exit codes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import Any

from nobubble.errors import (
    Fault,
    InfeasibleError,
    InputError,
    MethodError,
    NobubbleError,
    NoScheduleError,
    ProfileError,
    VerificationError,
)


class ServiceError(NobubbleError):
    """The service gave no answer that can be used: not reached, too busy, broken; try later."""

    exit_code = 4


class SlowAnswerError(ServiceError):
    """The service did not answer in time."""


def plain(text: object) -> str:
    """Give a text of the network without what a terminal would obey; lines stay."""
    return "".join(
        character
        for character in str(text)
        if character == "\n" or not unicodedata.category(character).startswith("C")
    )


def error_of(problem: Mapping[str, Any], *, url: str, source: str) -> NobubbleError:
    """Turn a problem document into the error that a local run would end with.

    Parameters
    ----------
    problem : mapping
        RFC 9457.
    url : str
        The service.
    source : str
        The profile that was sent, as messages call it.
    """
    kind = str(problem.get("type", "")).rpartition("/")[2]
    detail = plain(problem.get("detail") or problem.get("title") or "no reason given")
    faults = _faults(problem)
    if kind == "bad-profile" and faults:
        return ProfileError(source, faults)
    if kind == "infeasible":
        rank, limit, needed = (_integer(problem.get(key)) for key in ("rank", "limit", "needed"))
        return InfeasibleError(detail, rank=rank, limit=limit, needed=needed)
    if kind == "no-schedule":
        return NoScheduleError(detail)
    if kind == "verification-failed":
        findings = problem.get("findings")
        return VerificationError(
            [plain(finding) for finding in findings] if isinstance(findings, list) else [detail]
        )
    if kind == "bad-method":
        return MethodError(detail)
    if kind == "bad-request" and faults:
        return InputError("\n".join(f"{url}: {_option(fault)}" for fault in faults))
    status = problem.get("status")
    if isinstance(status, int) and 400 <= status < 500 and status not in (408, 429):
        return InputError(f"{url}: {detail}")
    if "request_id" in problem:
        detail += f" (request {plain(problem['request_id'])})"
    return ServiceError(f"{url}: {detail}")


def _faults(problem: Mapping[str, Any]) -> list[Fault]:
    """Give the places that are wrong, as they are called in the profile."""
    errors = problem.get("errors")
    if not isinstance(errors, list):
        return []
    return [
        Fault(
            plain(error.get("pointer", "")).removeprefix("/profile"),
            plain(error.get("message", "")),
        )
        for error in errors
        if isinstance(error, Mapping)
    ]


def _option(fault: Fault) -> str:
    """Name the option on the command line that gave what stands at the place."""
    place = re.fullmatch(r"(?:/options)?/(\w+)(/\d+)?|\?(\w+)", fault.pointer)
    if place is None:
        return str(fault)
    name = (place[1] or place[3]).replace("_", "-")
    return f"--{'tag' if name == 'tags' else name} {fault.message}"


def _integer(value: object) -> int:
    return value if isinstance(value, int) else 0
