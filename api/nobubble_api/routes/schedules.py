"""Stored schedules, in all their forms."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Path, Request
from fastapi.responses import Response

from nobubble_api.aside import FORMS, drawn
from nobubble_api.auth import MAY_READ
from nobubble_api.problems import ProblemError
from nobubble_api.routes.deps import ServiceDep, problems
from nobubble_api.service import Service

router = APIRouter(prefix="/v1/schedules", tags=["schedules"], dependencies=[MAY_READ])

IfNoneMatch = Annotated[
    str | None, Header(description="The ETag of what the client has: 304 where it is the same.")
]


def schedule_response(document: bytes, content_hash: str, if_none_match: str | None) -> Response:
    """Answer with a schedule document, or with 304 to who has it."""
    headers = {"ETag": f'"{content_hash}"', "Cache-Control": "private, max-age=0"}
    if has_it(if_none_match, content_hash):
        return Response(status_code=304, headers=headers)
    location = f"/v1/schedules/{content_hash}"
    return Response(
        document, media_type="application/json", headers={**headers, "Content-Location": location}
    )


def has_it(if_none_match: str | None, tag: str) -> bool:
    """Say whether If-None-Match names this tag."""
    if if_none_match is None:
        return False
    tags = {part.strip().removeprefix("W/").strip('"') for part in if_none_match.split(",")}
    return "*" in tags or tag in tags


@router.get(
    "/{name}",
    summary="A stored schedule",
    responses={
        200: {
            "description": "The schedule, in the form of the suffix, or by Accept.",
            "content": {form.media_type: {} for form in FORMS.values()},
        },
        304: {"description": "The client has it."},
        **problems(404, 406),
    },
    response_class=Response,
)
async def schedule(
    request: Request,
    service: ServiceDep,
    name: Annotated[
        str,
        Path(
            pattern=r"^[0-9a-f]{64}(\.json|\.svg|\.html|\.trace\.json|\.csv|\.comms\.csv)?$",
            description="The content hash, and the suffix of a form where wanted.",
            examples=["0" * 64 + ".svg"],
        ),
    ],
    if_none_match: IfNoneMatch = None,
) -> Response:
    """Give a schedule as document, picture, page or trace."""
    content_hash, suffix = name[:64], name[64:]
    form = (
        next(form for form, its in FORMS.items() if its.suffix == suffix)
        if suffix
        else _acceptable(request.headers.get("accept", "*/*"))
    )
    document = await known_schedule(service, content_hash)
    if form == "json":
        return schedule_response(document, content_hash, if_none_match)
    tag = f"{content_hash}.{form}"
    headers = {"ETag": f'"{tag}"', "Vary": "Accept"}
    if has_it(if_none_match, tag):
        return Response(status_code=304, headers=headers)
    text = await service.aside(drawn, document, form)
    if form == "html":
        # The page is self-contained: it may run its own script and load nothing.
        headers["Content-Security-Policy"] = (
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
            "img-src data:; sandbox allow-scripts allow-downloads"
        )
    return Response(text, media_type=FORMS[form].media_type, headers=headers)


async def known_schedule(service: Service, content_hash: str) -> bytes:
    """Give a stored schedule, or a problem."""
    document = await service.schedule(content_hash)
    if document is None:
        raise ProblemError(
            "not-found",
            f"there is no schedule {content_hash} here; it may have been too old to keep: solve "
            "the profile again",
        )
    return document


def _acceptable(accept: str) -> str:
    """Give the form that the header Accept wants most."""
    wanted: list[tuple[float, int, str]] = []
    for place, part in enumerate(accept.split(",")):
        kind, *parameters = (piece.strip() for piece in part.split(";"))
        quality = 1.0
        for parameter in parameters:
            if parameter.startswith("q="):
                try:
                    quality = float(parameter[2:])
                except ValueError:
                    quality = 0.0
        wanted.append((-quality, place, kind.lower()))
    for quality, _, kind in sorted(wanted):
        if quality == 0:
            continue
        for form, its in FORMS.items():
            main = its.media_type.partition("/")[0]
            if kind in (its.media_type, "*/*", f"{main}/*"):
                return form
    raise ProblemError(
        "not-acceptable",
        f"a schedule comes as {', '.join(form.media_type for form in FORMS.values())}",
    )
