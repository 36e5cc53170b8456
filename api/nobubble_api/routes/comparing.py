"""POST /v1/compare: a model in, the families of schedules side by side out."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Header
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from nobubble.comparison.candidates import Candidates
from nobubble.comparison.families import families
from nobubble_api.asking import Asked, AskedComparison, read_compare
from nobubble_api.auth import MAY_SOLVE
from nobubble_api.bodies import CompareBody
from nobubble_api.comparing import compared, failure_of, planned
from nobubble_api.examples import COMPARE
from nobubble_api.routes.deps import JsonBody, ServiceDep, json_response, problems, takes
from nobubble_api.routes.schedules import known_schedule
from nobubble_api.service import Service
from nobubble_api.store.errors import UnknownJobError
from nobubble_api.store.model import Job
from nobubble_api.submitting import submit
from nobubble_api.wire import Compared, Comparing
from nobubble_api.work import content_hash

router = APIRouter(prefix="/v1", tags=["solving"], dependencies=[MAY_SOLVE])


@router.post(
    "/compare",
    summary="Compare the families of schedules",
    responses={
        200: {"description": "All schedules, the best first.", "model": Compared},
        202: {"description": "It takes longer: ask again.", "model": Comparing},
        **problems(422, 504),
    },
    openapi_extra=takes(CompareBody.__name__, examples=COMPARE),
    response_class=Response,
)
async def compare(
    service: ServiceDep,
    raw: JsonBody,
    prefer: Annotated[str, Header(description="respond-async: do not wait.")] = "",
) -> Response:
    """Compare as `nobubble compare` does, every schedule a job of its own.

    What is not done when the client has waited long enough goes on: the same body asked again gives
    the table, or how many jobs are done by then.
    """
    settings = service.settings
    asked = await run_in_threadpool(
        lambda: read_compare(raw, max_ops=settings.max_ops, max_time_limit=settings.max_time_limit)
    )
    key = content_hash(raw)
    task = service.comparisons.get(key, lambda: _jobs(service, asked))
    wait = 0.0 if "respond-async" in prefer else settings.sync_limit
    end = asyncio.get_running_loop().time() + wait
    done, _ = await asyncio.wait([task], timeout=wait)
    if not done:
        return _not_yet([])
    candidates, ids = task.result()
    try:
        jobs = await _ended(service, ids, end)
    except UnknownJobError:  # They are older than the service keeps them.
        service.comparisons.forget(key)
        return _not_yet([])
    if not all(job.ended for job in jobs):
        return _not_yet(jobs)
    outcomes = [
        await known_schedule(service, job.schedule)
        if job.schedule is not None and job.state != "failed"
        else failure_of(job)
        for job in jobs
    ]
    text = await service.aside(compared, asked.model, candidates, outcomes)
    return Response(text, media_type="application/json")


async def _jobs(service: Service, asked: AskedComparison) -> tuple[list[Candidates], list[str]]:
    """Cut the layers of every family in a worker, and submit all that is to be solved."""
    found, _ = families(asked.model)
    candidates = list(
        await asyncio.gather(
            *(service.in_worker(planned, asked.model, family, asked.options) for family in found)
        )
    )
    ids = []
    for candidate in (one for those in candidates for one in those.candidates):
        name = f"compare: {candidate.family}, {candidate.method}"
        work = asked.work_of(candidate)
        job = await submit(service, Asked(candidate.profile, work, (), name, ("compare",)))
        ids.append(job.id)
    return candidates, ids


async def _ended(service: Service, ids: list[str], end: float) -> list[Job]:
    """Wait for the end of all jobs, or for the end of the client's time."""
    loop = asyncio.get_running_loop()
    while True:
        jobs = await run_in_threadpool(lambda: [service.store.job(each) for each in ids])
        waiting = [job for job in jobs if not job.ended]
        left = end - loop.time()
        if not waiting or left <= 0 or service.hub.is_closed:
            return jobs
        async with service.hub.listening(waiting[0].id) as news:
            try:
                await asyncio.wait_for(news.wait(), min(left, 1.0))
            except TimeoutError:
                continue


def _not_yet(jobs: list[Job]) -> Response:
    document = {
        "done": sum(job.ended for job in jobs),
        "of": len(jobs),
        "jobs": [f"/v1/jobs/{job.id}" for job in jobs],
    }
    return json_response(document, 202, {"Retry-After": "1"})
