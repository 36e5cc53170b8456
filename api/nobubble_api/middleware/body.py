"""Bodies are read whole before a route sees them, within a size and a time."""

from __future__ import annotations

import asyncio
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nobubble_api.problems import ProblemError

_WITH_BODY: Final = ("POST", "PUT", "PATCH")


class BodyLimits:
    """Answers 413 to a body that is too large, 408 to one that is too slow.

    Parameters
    ----------
    app : ASGI application
    most : int
        Bytes.
    within : float
        Seconds.
    """

    def __init__(self, app: ASGIApp, *, most: int, within: float) -> None:
        self._app = app
        self._most = most
        self._within = within

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http" or scope["method"] not in _WITH_BODY:
            await self._app(scope, receive, send)
            return
        try:
            body = await asyncio.wait_for(self._read(scope, receive), self._within)
        except TimeoutError:
            error = ProblemError(
                "timeout",
                f"the body did not arrive within {self._within:g} s",
                headers={"Connection": "close"},
            )
            await error.response()(scope, receive, send)
            return
        except ProblemError as error:
            await error.response()(scope, receive, send)
            return
        if body is None:
            return
        await self._app(scope, _replayed(body, receive), send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes | None:
        """Give the body; None when the client has gone."""
        declared = next((v for k, v in scope["headers"] if k == b"content-length"), b"")
        if declared.isdigit() and (len(declared) > 20 or int(declared) > self._most):
            raise self._too_large()
        chunks: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            chunk = message.get("body", b"")
            size += len(chunk)
            if size > self._most:
                raise self._too_large()
            chunks.append(chunk)
            if not message.get("more_body", False):
                return b"".join(chunks)

    def _too_large(self) -> ProblemError:
        return ProblemError(
            "too-large",
            f"the body is larger than the {self._most} bytes that this service takes; solve it by "
            "the command line, or have the operator raise NOBUBBLE_MAX_BODY",
            headers={"Connection": "close"},
            most=self._most,
        )


def _replayed(body: bytes, receive: Receive) -> Receive:
    is_given = False

    async def replay() -> Message:
        nonlocal is_given
        if is_given:
            return await receive()
        is_given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
