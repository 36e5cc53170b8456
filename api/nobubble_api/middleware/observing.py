"""A request id, a line in the log and the metrics for every request."""

from __future__ import annotations

import re
import time
import uuid
from typing import Final

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from nobubble_api.metrics import Metrics
from nobubble_api.problems import problem, problem_response

_LOG: Final = structlog.get_logger("nobubble.http")
_ID: Final = re.compile(r"[\w.:-]{1,100}")
_QUIET: Final = ("/healthz", "/readyz", "/metrics")


class Observing:
    """Takes X-Request-ID or makes one; a bug becomes a problem document, and no more is told."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if _ID.fullmatch(given) else uuid.uuid4().hex
        begin = time.perf_counter()
        status = 0

        async def observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = request_id
                self._count(scope, status, time.perf_counter() - begin)
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive, observed)
            except Exception:
                _LOG.exception("a request failed", method=scope["method"], path=scope["path"])
                if status:
                    raise  # The answer has begun: all that is left is to break it off.
                document = problem(
                    "internal",
                    "this is a bug of nobubble; the service's log has more under this request_id",
                    request_id=request_id,
                )
                await problem_response(document)(scope, receive, observed)
            log = _LOG.debug if scope["path"] in _QUIET else _LOG.info
            log(
                "request",
                method=scope["method"],
                path=scope["path"],
                status=status,
                seconds=round(time.perf_counter() - begin, 4),
            )

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "other")
        self._metrics.requests.labels(scope["method"], route, status).inc()
        self._metrics.latency.labels(route).observe(seconds)
