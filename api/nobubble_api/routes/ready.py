"""Ready profiles, to try the service with, and the JSON Schemas of the formats."""

from __future__ import annotations

import functools
from importlib.resources import files
from typing import Annotated, Any

from fastapi import APIRouter, Path
from fastapi.responses import Response

from nobubble.profile.document import profile_document
from nobubble.profile.reading import read_profile
from nobubble.schemas import profile_schema, schedule_schema, schema_text
from nobubble_api.auth import MAY_READ
from nobubble_api.problems import ProblemError
from nobubble_api.routes.deps import json_response, problems
from nobubble_api.wire import ReadyProfiles

router = APIRouter(prefix="/v1", tags=["ready"], dependencies=[MAY_READ])


@functools.cache
def ready_profiles() -> dict[str, dict[str, Any]]:
    """Give every ready profile, complete, by its name."""
    folder = files("nobubble") / "profiles"
    found = {}
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        stem, _, suffix = entry.name.rpartition(".")
        if suffix in ("json", "yaml"):
            found[stem] = profile_document(read_profile(str(entry)))
    return found


@router.get(
    "/profiles",
    summary="Ready profiles",
    responses={200: {"description": "Their names.", "model": ReadyProfiles}, **problems()},
    response_class=Response,
)
def list_profiles() -> Response:
    """List the ready profiles."""
    profiles = [
        {
            "name": name,
            "ranks": profile["ranks"],
            "stages": len(profile["stages"]),
            "microbatches": profile["microbatches"],
            "link": f"/v1/profiles/{name}",
        }
        for name, profile in ready_profiles().items()
    ]
    return json_response({"profiles": profiles})


@router.get(
    "/profiles/{name}",
    summary="A ready profile",
    responses={
        200: {
            "description": "The profile, every default filled in.",
            "content": {"application/json": {"schema": {"$ref": "/v1/schemas/profile"}}},
        },
        **problems(404),
    },
    response_class=Response,
)
def show_profile(
    name: Annotated[str, Path(max_length=100, examples=["measured-p8"])],
) -> Response:
    """Give a ready profile."""
    profiles = ready_profiles()
    if name not in profiles:
        raise ProblemError(
            "not-found", f"there is no ready profile {name!r}; there are {', '.join(profiles)}"
        )
    return json_response(profiles[name])


_SCHEMAS = {"profile": profile_schema, "schedule": schedule_schema}


@router.get(
    "/schemas/{name}",
    summary="The JSON Schema of a format",
    responses={
        200: {
            "description": "JSON Schema, draft 2020-12.",
            "content": {"application/schema+json": {"schema": {"type": "object"}}},
        },
        **problems(404),
    },
    response_class=Response,
)
def schema(
    name: Annotated[str, Path(max_length=100, examples=["profile", "schedule"])],
) -> Response:
    """Give the JSON Schema of `nobubble.profile/1` or `nobubble.schedule/1`."""
    if name not in _SCHEMAS:
        raise ProblemError(
            "not-found", f"there is no schema {name!r}; there are {', '.join(_SCHEMAS)}"
        )
    return Response(schema_text(_SCHEMAS[name]()), media_type="application/schema+json")
