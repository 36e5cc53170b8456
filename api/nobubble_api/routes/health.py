"""Is it alive, is it ready, how does it do."""

from __future__ import annotations

import time
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.concurrency import run_in_threadpool

from nobubble.errors import NobubbleError
from nobubble_api.aside import solved_tiny
from nobubble_api.auth import MAY_READ
from nobubble_api.problems import KINDS, ProblemError
from nobubble_api.routes.deps import ServiceDep, json_response, problems
from nobubble_api.service import Service
from nobubble_api.wire import Health

router = APIRouter(tags=["operating"])


@router.get(
    "/healthz",
    summary="Alive?",
    responses={200: {"description": "The process answers.", "model": Health}, **problems()},
    response_class=Response,
)
async def healthz() -> Response:
    """Say that the process answers."""
    return Response('{"status": "ok"}\n', media_type="application/json")


@router.get(
    "/readyz",
    summary="Ready?",
    responses={
        200: {"description": "It can solve.", "model": Health},
        503: {"description": "It cannot; `checks` says what is wrong.", "model": Health},
        **{status: value for status, value in problems().items() if status != 503},
    },
    response_class=Response,
)
async def readyz(service: ServiceDep) -> Response:
    """Say whether the store can be written, workers live, and a tiny profile is solved."""
    checks = {
        "store": await _store(service),
        "workers": "ok" if service.backend.is_alive() else "no worker can take work",
        "runner": "ok" if service.runner.is_alive() else "the runner does not turn",
        "solve": await _solve(service),
        "service": "stopping" if service.is_stopping else "ok",
    }
    is_ready = all(check == "ok" for check in checks.values())
    document: dict[str, Any] = {"status": "ok" if is_ready else "unavailable", "checks": checks}
    return json_response(document, 200 if is_ready else 503)


async def _store(service: Service) -> str:
    try:
        await run_in_threadpool(service.store.check)
    except NobubbleError as error:
        return str(error)
    return "ok"


_SOLVED_FOR = 10.0
"""Seconds that a tiny solve counts for: probes come often."""


async def _solve(service: Service) -> str:
    if time.monotonic() - service.solved_at < _SOLVED_FOR:
        return "ok"
    try:
        await service.aside(solved_tiny)
    except (ProblemError, NobubbleError) as error:
        return str(error)
    service.solved_at = time.monotonic()
    return "ok"


@router.get(
    "/metrics",
    summary="Metrics",
    dependencies=[MAY_READ],
    responses={
        200: {
            "description": "In the text format of Prometheus.",
            "content": {"text/plain": {"schema": {"type": "string"}}},
        },
        **problems(),
    },
    response_class=Response,
)
async def metrics(service: ServiceDep) -> Response:
    """Give the metrics."""
    counts = await run_in_threadpool(service.store.counts)
    service.metrics.note_jobs({str(state): count for state, count in counts.items()})
    return Response(generate_latest(service.metrics.registry), media_type=CONTENT_TYPE_LATEST)


@router.get(
    "/problems/{slug}",
    summary="What a problem means",
    responses={
        200: {
            "description": "What it means.",
            "content": {"text/plain": {"schema": {"type": "string"}}},
        },
        **problems(404),
    },
    response_class=Response,
)
async def problem_meaning(slug: str) -> Response:
    """Say what a problem means and what to do: where the `type` of a problem leads."""
    if slug not in KINDS:
        raise ProblemError("not-found", f"there is no problem of this name; {', '.join(KINDS)}")
    kind = KINDS[slug]
    return Response(f"{kind.title} ({kind.status})\n\n{kind.meaning}\n", media_type="text/plain")
