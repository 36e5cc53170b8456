"""Jobs: submitted, listed, followed, cancelled."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Path, Query, Request
from fastapi.responses import Response, StreamingResponse
from starlette.concurrency import run_in_threadpool

from nobubble.errors import InputError
from nobubble_api.auth import MAY_READ, MAY_SOLVE
from nobubble_api.bodies import JobBody, Tag
from nobubble_api.events import follow
from nobubble_api.examples import JOB
from nobubble_api.problems import ProblemError
from nobubble_api.routes.deps import JsonBody, ServiceDep, asked_by, json_response, problems, takes
from nobubble_api.routes.schedules import IfNoneMatch, known_schedule, schedule_response
from nobubble_api.store.model import JobState
from nobubble_api.submitting import submit
from nobubble_api.wire import JobPage, JobShape, job_document

router = APIRouter(prefix="/v1/jobs", tags=["jobs"])

JobId = Annotated[str, Path(pattern="^[0-9a-f]{32}$", description="The job's id.")]


@router.post(
    "",
    summary="Submit a job",
    status_code=202,
    dependencies=[MAY_SOLVE],
    responses={202: {"description": "The job.", "model": JobShape}, **problems(409, 422)},
    openapi_extra=takes(JobBody.__name__, examples=JOB),
    response_class=Response,
)
async def submit_job(
    service: ServiceDep,
    raw: JsonBody,
    idempotency_key: Annotated[
        str | None,
        Header(
            min_length=1,
            max_length=200,
            description="The same key and request give the same job, however often it is sent.",
        ),
    ] = None,
) -> Response:
    """Have a profile solved, and come back for the schedule."""
    asked = await asked_by(service, raw, JobBody)
    job = await submit(service, asked, idempotency_key)
    return json_response(job_document(job), 202, {"Location": f"/v1/jobs/{job.id}"})


@router.get(
    "",
    summary="List jobs",
    dependencies=[MAY_READ],
    responses={200: {"description": "Newest first.", "model": JobPage}, **problems()},
    response_class=Response,
)
async def list_jobs(
    service: ServiceDep,
    state: Annotated[JobState | None, Query(description="Only these.")] = None,
    tag: Annotated[Tag | None, Query(description="Only those with this tag.")] = None,
    after: Annotated[
        str | None, Query(max_length=200, description="The `next` of the page before.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> Response:
    """List jobs, newest first."""
    try:
        page = await run_in_threadpool(
            lambda: service.store.jobs(state=state, tag=tag, after=after, limit=limit)
        )
    except InputError:
        raise ProblemError(
            "bad-request",
            "after is not the `next` of a page; leave it out for the first page",
            errors=[{"pointer": "?after", "message": "is not the `next` of a page"}],
        ) from None
    jobs = [job_document(job) for job in page.jobs]
    return json_response({"jobs": jobs, "next": page.next})


@router.get(
    "/{job_id}",
    summary="A job",
    dependencies=[MAY_READ],
    responses={200: {"description": "The job.", "model": JobShape}, **problems(404)},
    response_class=Response,
)
async def show_job(service: ServiceDep, job_id: JobId) -> Response:
    """Say how a job is."""
    return json_response(job_document(await run_in_threadpool(service.store.job, job_id)))


@router.delete(
    "/{job_id}",
    summary="Cancel a job",
    dependencies=[MAY_SOLVE],
    responses={
        200: {"description": "The job; it ends with the best found.", "model": JobShape},
        **problems(404),
    },
    response_class=Response,
)
async def cancel_job(service: ServiceDep, job_id: JobId) -> Response:
    """Cancel a job; the best schedule that was found stays."""
    job = await run_in_threadpool(service.store.cancel, job_id)
    service.runner.wake()
    service.hub.notify([job_id])
    return json_response(job_document(job))


@router.get(
    "/{job_id}/schedule",
    summary="A job's schedule",
    dependencies=[MAY_READ],
    responses={
        200: {
            "description": "The schedule, while the job runs the best so far.",
            "content": {"application/json": {"schema": {"$ref": "/v1/schemas/schedule"}}},
        },
        304: {"description": "The client has it."},
        **problems(404),
    },
    response_class=Response,
)
async def job_schedule(
    service: ServiceDep, job_id: JobId, if_none_match: IfNoneMatch = None
) -> Response:
    """Give a job's schedule."""
    job = await run_in_threadpool(service.store.job, job_id)
    if job.schedule is None:
        raise ProblemError(
            "not-found", f"job {job_id} is {job.state} and has no schedule", state=job.state
        )
    document = await known_schedule(service, job.schedule)
    return schedule_response(document, job.schedule, if_none_match)


@router.get(
    "/{job_id}/events",
    summary="Follow a job",
    dependencies=[MAY_READ],
    responses={
        200: {
            "description": "Server-sent events: progress, state, and end with the job.",
            "content": {"text/event-stream": {}},
        },
        **problems(404),
    },
    response_class=StreamingResponse,
)
async def job_events(
    request: Request,
    service: ServiceDep,
    job_id: JobId,
    last_event_id: Annotated[
        str | None, Header(description="Go on after this event.", max_length=100)
    ] = None,
) -> Response:
    """Tell what happens to a job, until it ends."""
    if service.streams >= service.settings.max_streams:
        raise ProblemError(
            "too-busy",
            f"{service.streams} event streams are open, as many as may be; ask for the job itself",
            retry_after=5,
        )
    await run_in_threadpool(service.store.job, job_id)
    after = int(last_event_id) if last_event_id and last_event_id.isdecimal() else 0

    async def stream() -> AsyncIterator[str]:
        service.streams += 1
        service.metrics.streams.inc()
        try:
            async for piece in follow(service, job_id, min(after, 2**62)):
                yield piece
        finally:
            service.streams -= 1
            service.metrics.streams.dec()

    return StreamingResponse(
        stream(),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
