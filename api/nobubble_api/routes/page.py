"""The page at /: try a profile, watch it being solved, look at the schedule."""

from __future__ import annotations

import base64
import functools
import hashlib
import mimetypes
from importlib.resources import files

from fastapi import APIRouter
from fastapi.responses import Response

from nobubble.pictures.html import page_script
from nobubble_api.problems import ProblemError

router = APIRouter(include_in_schema=False)


@functools.cache
def _policy() -> str:
    """Allow the page's own script, and that of the schedule pages that it shows in frames."""
    digest = base64.b64encode(hashlib.sha256(page_script().encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'self' 'sha256-{digest}'; "
        "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; "
        "frame-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    )


@router.get("/")
def index() -> Response:
    """Give the page."""
    return _file("index.html")


@router.get("/page/{name}")
def asset(name: str) -> Response:
    """Give a script, style or icon of the page."""
    return _file(name)


def _file(name: str) -> Response:
    folder = files("nobubble_api") / "page"
    if name not in {entry.name for entry in folder.iterdir()}:
        raise ProblemError("not-found", f"the page has no file {name!r}")
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return Response(
        (folder / name).read_bytes(),
        media_type=kind,
        headers={
            "Content-Security-Policy": _policy(),
            "Cache-Control": "no-cache",
            "X-Content-Type-Options": "nosniff",
        },
    )
