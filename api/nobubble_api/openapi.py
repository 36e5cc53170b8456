"""The OpenAPI document: as FastAPI makes it, with the bodies that routes read themselves."""

from __future__ import annotations

import json
from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from nobubble_api.bodies import CompareBody, JobBody, Options, ProfileBody, SolveBody, VerifyBody
from nobubble_api.wire import Problem

OPENAPI_TAGS: Final = [
    {"name": "solving", "description": "A profile in, a schedule out."},
    {"name": "jobs", "description": "Solves that take longer, or that one comes back for."},
    {"name": "schedules", "description": "Stored schedules by their content hash."},
    {"name": "checking", "description": "Look at profiles and schedules without solving."},
    {"name": "ready", "description": "Ready profiles and the schemas of the formats."},
    {"name": "operating", "description": "For those who run the service."},
]

_MODELS: Final[tuple[type[BaseModel], ...]] = (
    Options,
    SolveBody,
    CompareBody,
    JobBody,
    ProfileBody,
    VerifyBody,
    Problem,
)
_DESCRIPTION: Final = """\
nobubble takes the measured times of every stage and gives the order of operations that wastes the
least GPU time, with a proof of how close that is to the best possible.

Errors are `application/problem+json` (RFC 9457) with a `type` that stays; `errors` names the places
in the input. Where the operator has set tokens, send `Authorization: Bearer TOKEN`.
"""


def openapi_of(app: FastAPI) -> dict[str, Any]:
    """Give the OpenAPI document of the service."""
    if app.openapi_schema is not None:
        return app.openapi_schema
    document = get_openapi(
        title=app.title,
        version=app.version,
        summary=app.summary,
        description=_DESCRIPTION,
        routes=app.routes,
        tags=app.openapi_tags,
    )
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    for model in _MODELS:
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
        for name, part in schema.pop("$defs", {}).items():
            schemas.setdefault(name, part)
        schemas[model.__name__] = schema
    # FastAPI's own form of a wrong parameter; here it is a problem like any other.
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    for path in document["paths"].values():
        for operation in path.values():
            refused = operation["responses"].get("422", {}).get("content", {})
            if "HTTPValidationError" in json.dumps(refused):
                del operation["responses"]["422"]
    app.openapi_schema = document
    return document
