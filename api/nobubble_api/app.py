"""The application: routes, middleware, errors."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from nobubble._version import __version__
from nobubble.errors import NobubbleError
from nobubble.profile.wording import shown
from nobubble_api.auth import Tokens
from nobubble_api.middleware.body import BodyLimits
from nobubble_api.middleware.observing import Observing
from nobubble_api.openapi import OPENAPI_TAGS, openapi_of
from nobubble_api.problems import ProblemError, problem_of, problem_response
from nobubble_api.routes import comparing, health, jobs, looking, page, ready, schedules, solving
from nobubble_api.service import Service
from nobubble_api.settings import Settings
from nobubble_api.store.errors import StoreError, UnknownJobError


class _Application(FastAPI):
    """FastAPI, with the OpenAPI document of `nobubble_api.openapi`."""

    def openapi(self) -> dict[str, Any]:
        """Give the OpenAPI document."""
        return openapi_of(self)


def create_app(settings: Settings) -> FastAPI:
    """Make the application of a service.

    Raises
    ------
    InputError
        The tokens cannot be read.
    """
    service = Service(settings)
    tokens = Tokens.of(settings)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await service.start()
        try:
            yield
        finally:
            await service.stop()

    app = _Application(
        title="nobubble",
        version=__version__,
        summary="Plans pipeline-parallel training: schedules with the fewest bubbles.",
        openapi_tags=OPENAPI_TAGS,
        lifespan=lifespan,
        redoc_url=None,
    )
    app.state.service = service
    app.state.tokens = tokens
    for module in (solving, comparing, jobs, schedules, looking, ready, health, page):
        app.include_router(module.router)
    app.add_exception_handler(ProblemError, _problem)
    app.add_exception_handler(NobubbleError, _core_error)
    app.add_exception_handler(RequestValidationError, _bad_request)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_middleware(BodyLimits, most=settings.max_body, within=settings.body_timeout)
    app.add_middleware(Observing, metrics=service.metrics)
    return app


async def _problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return error.response()


async def _core_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, NobubbleError)
    if isinstance(error, UnknownJobError):
        return ProblemError("not-found", str(error)).response()
    if isinstance(error, StoreError):
        return ProblemError("unavailable", str(error), retry_after=5).response()
    return problem_response(problem_of(error))


async def _bad_request(request: Request, error: Exception) -> Response:
    """Answer to a parameter that is not as declared."""
    assert isinstance(error, RequestValidationError)
    places = []
    for fault in error.errors():
        kind, *name = fault["loc"]
        where = {"query": "?", "header": "header ", "path": "path "}.get(str(kind), "")
        pointer = where + "/".join(map(str, name))
        message = f"is {shown(fault.get('input'))}: {fault['msg'][:1].lower()}{fault['msg'][1:]}"
        places.append({"pointer": pointer, "message": message})
    is_path = all(str(place["pointer"]).startswith("path ") for place in places)
    first = f"{places[0]['pointer']} {places[0]['message']}"
    if is_path:
        return ProblemError("not-found", f"there is nothing here: {first}").response()
    return ProblemError("bad-request", first, errors=places).response()


async def _http_error(request: Request, error: Exception) -> Response:
    """Answer what Starlette itself refuses."""
    assert isinstance(error, HTTPException)
    slugs = {404: "not-found", 405: "method-not-allowed", 406: "not-acceptable"}
    slug = slugs.get(error.status_code, "bad-request" if error.status_code < 500 else "internal")
    path = request.url.path
    detail = {
        "not-found": f"there is nothing at {path}; /docs lists what there is",
        "method-not-allowed": f"{path} does not take {request.method}",
    }.get(slug, str(error.detail))
    return ProblemError(slug, detail, headers=error.headers).response()
