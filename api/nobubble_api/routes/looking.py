"""Checks and bounds: nothing is stored, nothing is solved."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from nobubble.profile.canonical import profile_sha256
from nobubble.solvers.task import BUDGETS
from nobubble_api import aside
from nobubble_api.asking import ops_of, read_profile_body, read_verify_body
from nobubble_api.auth import MAY_READ
from nobubble_api.bodies import ProfileBody, SolveBody, VerifyBody
from nobubble_api.estimating import estimated_seconds
from nobubble_api.examples import CHECK, LOOK, SOLVE
from nobubble_api.routes.deps import JsonBody, ServiceDep, asked_by, json_response, problems, takes
from nobubble_api.wire import Bounds, Validated, Verdict

router = APIRouter(prefix="/v1", tags=["checking"], dependencies=[MAY_READ])


@router.post(
    "/verify",
    summary="Verify a schedule",
    responses={
        200: {"description": "The verdict; `valid` says it.", "model": Verdict},
        **problems(422),
    },
    openapi_extra=takes(VerifyBody.__name__, examples=CHECK),
    response_class=Response,
)
async def verify(service: ServiceDep, raw: JsonBody) -> Response:
    """Check that a schedule is right, and its figures too, as `nobubble verify` does."""
    document, profile = await run_in_threadpool(read_verify_body, raw)
    text = await service.aside(aside.verify, document, profile)
    return Response(text, media_type="application/json")


@router.post(
    "/bound",
    summary="Lower bounds of a profile",
    responses={200: {"description": "The bounds.", "model": Bounds}, **problems(422)},
    openapi_extra=takes(ProfileBody.__name__, examples=LOOK),
    response_class=Response,
)
async def bound(service: ServiceDep, raw: JsonBody) -> Response:
    """Give what no schedule can beat, as `nobubble bound` does."""
    most = service.settings.max_ops
    profile, _ = await run_in_threadpool(lambda: read_profile_body(raw, max_ops=most))
    text = await service.aside(aside.bound, profile)
    return Response(text, media_type="application/json")


@router.post(
    "/validate",
    summary="Check a request without solving",
    responses={
        200: {"description": "It is valid, and would cost this.", "model": Validated},
        **problems(422),
    },
    openapi_extra=takes(SolveBody.__name__, examples=SOLVE),
    response_class=Response,
)
async def validate(service: ServiceDep, raw: JsonBody) -> Response:
    """Only check the input, that a schedule exists, and say what a solve would cost."""
    asked = await asked_by(service, raw, SolveBody)
    profile, work = asked.profile, asked.work
    if not work.ignore_memory_limit:
        await service.aside(aside.require_schedule, profile)
    stored = await run_in_threadpool(service.store.result, work.result_key())
    return json_response(
        {
            "valid": True,
            "notes": list(asked.notes),
            "profile_sha256": profile_sha256(profile),
            "ranks": profile.ranks,
            "stages": len(profile.stages),
            "microbatches": profile.microbatches,
            "ops": ops_of(profile),
            "is_stored": stored is not None,
            "search_ops": BUDGETS[work.effort].search,
            "estimated_seconds": estimated_seconds(work, ops_of(profile)),
        }
    )
