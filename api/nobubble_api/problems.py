"""Every error as RFC 9457 ``application/problem+json``, with a type that stays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from starlette.responses import Response

from nobubble.errors import (
    DocumentError,
    InfeasibleError,
    InputError,
    NobubbleError,
    NoScheduleError,
    VerificationError,
)

MEDIA_TYPE: Final = "application/problem+json"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of problem: its status, its title and what to do about it."""

    status: int
    title: str
    meaning: str


KINDS: Final[dict[str, Kind]] = {
    "bad-request": Kind(
        400, "Bad request", "The request is not as the API wants it; `errors` names the places."
    ),
    "bad-profile": Kind(
        422,
        "Not a valid profile",
        "The profile is not a valid nobubble.profile/1; `errors` names the places.",
    ),
    "bad-schedule": Kind(
        422,
        "Not a valid schedule",
        "The schedule is not a valid nobubble.schedule/1; `errors` names the places.",
    ),
    "bad-method": Kind(
        422, "Not a method for this profile", "Take another method; `detail` says why."
    ),
    "infeasible": Kind(
        422,
        "Infeasible",
        "No schedule keeps within the memory limits. `rank` binds; its `limit` is below `needed`, "
        "the smallest with which a schedule exists, both in bytes.",
    ),
    "no-schedule": Kind(
        504, "No schedule in time", "There was no schedule before the time limit or the stop."
    ),
    "verification-failed": Kind(
        500, "Verification failed", "nobubble made a schedule that its verifier refuses: a bug."
    ),
    "unauthorized": Kind(401, "Unauthorized", "Send Authorization: Bearer TOKEN."),
    "forbidden": Kind(403, "Forbidden", "The token's role does not allow this."),
    "not-found": Kind(404, "Not found", "There is nothing of this name, or no longer."),
    "method-not-allowed": Kind(405, "Method not allowed", "The header Allow names the methods."),
    "not-acceptable": Kind(406, "Not acceptable", "There is no such form of it."),
    "timeout": Kind(408, "Request too slow", "The body did not arrive in time; send it again."),
    "conflict": Kind(409, "Conflict", "The Idempotency-Key was used before, with another request."),
    "too-large": Kind(
        413, "Too large", "The body or the problem is larger than this service takes."
    ),
    "unsupported-media-type": Kind(415, "Not JSON", "Send the body as application/json."),
    "too-busy": Kind(429, "Too busy", "Try again after the seconds that Retry-After says."),
    "internal": Kind(500, "Internal error", "A bug; the service's log has the `request_id`."),
    "worker-lost": Kind(
        500, "Worker lost", "The solve ended its worker each time that it was tried."
    ),
    "unavailable": Kind(
        503, "Unavailable", "The service cannot do this now; `detail` says why. Try again later."
    ),
}


class ProblemError(Exception):
    """A problem to answer with.

    Parameters
    ----------
    slug : str
        One of `KINDS`.
    detail : str
        What is wrong here, and what to do.
    retry_after : int, optional
        Seconds.
    challenge : bool
        Whether to ask for a token.
    headers : mapping, optional
    **members
        Further members of the document, such as ``errors``: the places in the input, each with
        ``pointer`` and ``message``.
    """

    def __init__(
        self,
        slug: str,
        detail: str,
        *,
        retry_after: int | None = None,
        challenge: bool = False,
        headers: Mapping[str, str] | None = None,
        **members: Any,
    ) -> None:
        super().__init__(detail)
        self.document = problem(slug, detail, **members)
        self.headers = dict(headers or {})
        if retry_after is not None:
            self.headers["Retry-After"] = str(retry_after)
        if challenge:
            self.headers["WWW-Authenticate"] = "Bearer"

    @classmethod
    def of(cls, document: dict[str, Any]) -> ProblemError:
        """Answer with a document that `problem` made."""
        slug = str(document["type"]).rpartition("/")[2]
        error = cls(slug, str(document["detail"]))
        error.document = document
        return error

    def response(self) -> Response:
        """Give the answer."""
        return problem_response(self.document, self.headers)


def problem(slug: str, detail: str, **members: Any) -> dict[str, Any]:
    """Make the document of a problem."""
    kind = KINDS[slug]
    return {
        "type": f"/problems/{slug}",
        "title": kind.title,
        "status": kind.status,
        "detail": detail,
        **members,
    }


def problem_of(error: NobubbleError, at: str = "") -> dict[str, Any]:
    """Make the document of an error of the core.

    Parameters
    ----------
    error : NobubbleError
    at : str
        The JSON pointer of the document that is wrong, within the body.

    Returns
    -------
    dict
        See `problem`.
    """
    if isinstance(error, DocumentError):
        places = [
            {"pointer": at + fault.pointer, "message": fault.message} for fault in error.faults
        ]
        count = f"{len(places)} places" if len(places) > 1 else "one place"
        first = f"{places[0]['pointer'] or 'the whole of it'}: {places[0]['message']}"
        detail = f"The {error.kind} is wrong in {count}; {first}"
        slug = "bad-schedule" if error.kind == "schedule" else "bad-profile"
        return problem(slug, detail, errors=places)
    if isinstance(error, InfeasibleError):
        return problem(
            "infeasible", str(error), rank=error.rank, limit=error.limit, needed=error.needed
        )
    if isinstance(error, NoScheduleError):
        return problem("no-schedule", str(error))
    if isinstance(error, VerificationError):
        return problem("verification-failed", str(error), findings=list(error.findings))
    if isinstance(error, InputError):
        return problem("bad-method", str(error))
    return problem("internal", str(error))


def problem_response(
    document: Mapping[str, Any], headers: Mapping[str, str] | None = None
) -> Response:
    """Answer with a problem."""
    from nobubble.schedule.writing import json_text

    return Response(
        json_text(document),
        status_code=int(document["status"]),
        media_type=MEDIA_TYPE,
        headers=dict(headers or {}),
    )
