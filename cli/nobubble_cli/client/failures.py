"""Requests that failed: what to tell, and whether the same request may be answered later."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from nobubble.errors import InputError, NobubbleError
from nobubble_cli.client.problems import ServiceError, SlowAnswerError, error_of, plain

if TYPE_CHECKING:
    import httpx

_PROBLEM: Final = "application/problem+json"


def failure_of(
    response: httpx.Response, *, url: str, source: str, has_token: bool
) -> NobubbleError:
    """Put an answer that is no success into words.

    Parameters
    ----------
    response : httpx.Response
    url : str
        The service.
    source : str
        What messages call the profile that was sent.
    has_token : bool
        Whether a token was sent.
    """
    status = response.status_code
    problem = parse_object(response.content) if _is_problem(response) else None
    if problem is not None:
        if status == 401:
            problem["detail"] = (
                "it does not know this token; ask its operator for one"
                if has_token
                else "it wants a token; give yours with --token, or in NOBUBBLE_TOKEN"
            )
        seconds = retry_after(response)
        if seconds is not None:
            problem["detail"] = f"{problem.get('detail')}; it asks to come back in {seconds:.0f} s"
        return error_of(problem, url=url, source=source)
    if response.is_redirect:
        to = plain(response.headers.get("location", "elsewhere"))
        return InputError(f"{url} sends on to {to}; give the address that it should be")
    told = f"{url} answered {status} {plain(response.reason_phrase)}".rstrip()
    if status >= 500 or status == 429:
        return ServiceError(f"{told}; it may be starting, or a proxy does not reach it")
    return InputError(f"{told}, and not as nobubble does; is this the address of nobubble?")


def is_worth_repeating(response: httpx.Response) -> bool:
    """Tell whether the same request may be answered in a while."""
    if response.status_code in (429, 503):
        return True
    # The service says 504 of a time limit; a gateway says it of a service that it does not reach.
    return response.status_code in (502, 504) and not _is_problem(response)


def retry_after(response: httpx.Response) -> float | None:
    """Give the seconds of Retry-After, which may be a date; None where it is not given."""
    from email.utils import parsedate_to_datetime

    value = response.headers.get("retry-after", "")
    if re.fullmatch("[0-9]{1,9}", value):
        return float(value)
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return max(0.0, (at - datetime.now(UTC)).total_seconds())


def unreachable(error: httpx.RequestError, *, url: str, within: str) -> ServiceError:
    """Say why there is no answer; `within` is how long one was waited for."""
    import socket
    import ssl

    import httpx

    if isinstance(error, httpx.TimeoutException):
        if isinstance(error, httpx.ConnectTimeout):
            return ServiceError(f"cannot reach {url}: no connection within {within}")
        return SlowAnswerError(f"{url} did not answer within {within}")
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return ServiceError(
                f"cannot trust {url}: {cause.verify_message}; SSL_CERT_FILE names the certificates "
                "of an authority of your own"
            )
        if isinstance(cause, ssl.SSLError):
            reason = (cause.reason or "no TLS").replace("_", " ").lower()
            return ServiceError(f"cannot speak TLS with {url}: {reason}; is it http?")
        if isinstance(cause, socket.gaierror):
            return ServiceError(
                f"cannot reach {url}: no address for this host ({cause.strerror}); is the name "
                "right?"
            )
    told = [cause.strerror for cause in causes if isinstance(cause, OSError)]
    reason = (next(filter(None, told), None) or str(error)).rstrip(".").lower()
    if isinstance(error, httpx.ConnectError):
        return ServiceError(f"cannot reach {url}: {reason}; is the service running there?")
    return ServiceError(f"{url} broke off: {plain(reason) or 'no answer'}")


def parse_object(text: str | bytes) -> dict[str, Any] | None:
    """Give the JSON object that a text is, None where it is none."""
    try:
        data = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return data if isinstance(data, dict) else None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no number in JSON")


def _is_problem(response: httpx.Response) -> bool:
    kind: str = response.headers.get("content-type", "")
    return kind.partition(";")[0].strip() == _PROBLEM


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Give an error, and what led to it."""
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__
