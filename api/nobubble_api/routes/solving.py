"""POST /v1/solve: a profile in, a schedule out."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Header
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from nobubble_api.auth import MAY_SOLVE
from nobubble_api.bodies import SolveBody
from nobubble_api.examples import SOLVE
from nobubble_api.problems import problem, problem_response
from nobubble_api.routes.deps import JsonBody, ServiceDep, asked_by, json_response, problems, takes
from nobubble_api.routes.schedules import IfNoneMatch, known_schedule, schedule_response
from nobubble_api.service import Service
from nobubble_api.store.model import Job
from nobubble_api.submitting import submit
from nobubble_api.wire import JobShape, job_document
from nobubble_api.work import REPRODUCIBLE, content_hash

router = APIRouter(prefix="/v1", tags=["solving"], dependencies=[MAY_SOLVE])


@router.post(
    "/solve",
    summary="Solve a profile",
    responses={
        200: {
            "description": "The schedule document, the same bytes as the command line gives.",
            "content": {"application/json": {"schema": {"$ref": "/v1/schemas/schedule"}}},
        },
        202: {"description": "It takes longer: a job.", "model": JobShape},
        304: {"description": "The client has the schedule."},
        **problems(422, 504),
    },
    openapi_extra=takes(SolveBody.__name__, examples=SOLVE),
    response_class=Response,
)
async def solve(
    service: ServiceDep,
    raw: JsonBody,
    if_none_match: IfNoneMatch = None,
    prefer: Annotated[str, Header(description="respond-async: answer with a job at once.")] = "",
) -> Response:
    """Give a schedule, or a job when it takes longer than the service lets a client wait."""
    body_hash = content_hash(raw)
    answer = service.answers.get(body_hash)
    if answer is not None:
        known = await service.schedule(answer.decode())
        if known is not None:
            service.metrics.cache.labels("hit").inc()
            return schedule_response(known, answer.decode(), if_none_match)
    asked = await asked_by(service, raw, SolveBody)
    job = await submit(service, asked)
    if not job.ended and "respond-async" not in prefer:
        job = await _ended(service, job, service.settings.sync_limit)
    if not job.ended:
        return json_response(job_document(job), 202, {"Location": f"/v1/jobs/{job.id}"})
    if job.schedule is None or job.state == "failed":
        document = job.problem or problem("no-schedule", "the job was cancelled")
        return problem_response(document)
    schedule = await known_schedule(service, job.schedule)
    if job.stopped_by in REPRODUCIBLE:
        service.answers.put(body_hash, job.schedule.encode())
    return schedule_response(schedule, job.schedule, if_none_match)


async def _ended(service: Service, job: Job, limit: float) -> Job:
    """Wait for a job's end, or for the limit."""
    loop = asyncio.get_running_loop()
    end = loop.time() + limit
    async with service.hub.listening(job.id) as news:
        while True:
            news.clear()
            job = await run_in_threadpool(service.store.job, job.id)
            left = end - loop.time()
            if job.ended or left <= 0 or service.hub.is_closed:
                return job
            try:
                await asyncio.wait_for(news.wait(), left)
            except TimeoutError:
                continue
