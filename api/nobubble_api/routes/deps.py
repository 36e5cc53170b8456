"""What routes need of the service and of a request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from nobubble.schedule.writing import json_text
from nobubble_api.asking import Asked, read_solve
from nobubble_api.bodies import SolveBody
from nobubble_api.problems import MEDIA_TYPE, ProblemError
from nobubble_api.service import Service
from nobubble_api.wire import Problem


async def _service(request: Request) -> Service:
    service: Service = request.app.state.service
    return service


async def _json_body(request: Request) -> bytes:
    """Give the body, as long as it says that it is JSON."""
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if kind != "application/json" and not kind.endswith("+json"):
        raise ProblemError("unsupported-media-type", f"the body is {kind!r}; send application/json")
    return await request.body()


# Asynchronous, as all dependencies here: FastAPI runs others in threads, at more than their cost.
ServiceDep = Annotated[Service, Depends(_service)]
JsonBody = Annotated[bytes, Depends(_json_body)]


async def asked_by(service: Service, raw: bytes, model: type[SolveBody]) -> Asked:
    """Read the body of a solve or a job within the limits of the service.

    Raises
    ------
    ProblemError
    """
    settings = service.settings
    return await run_in_threadpool(
        lambda: read_solve(
            raw, model, max_ops=settings.max_ops, max_time_limit=settings.max_time_limit
        )
    )


def takes(model: str, *, examples: Mapping[str, Any]) -> dict[str, Any]:
    """Describe the body for OpenAPI: routes read it themselves, with exact decimals."""
    return {
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": {"$ref": f"#/components/schemas/{model}"},
                    "examples": dict(examples),
                }
            },
        }
    }


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Declare the problems that a route may answer with, those of any route included."""
    schema = {"$ref": f"#/components/schemas/{Problem.__name__}"}
    common = (400, 401, 403, 408, 413, 415, 429, 500, 503)
    return {
        status: {
            "description": "Problem",
            "content": {MEDIA_TYPE: {"schema": schema}},
        }
        for status in sorted({*statuses, *common})
    }


def json_response(
    document: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Answer with JSON, decimals exact."""
    return Response(
        json_text(document), status, media_type="application/json", headers=dict(headers or {})
    )
