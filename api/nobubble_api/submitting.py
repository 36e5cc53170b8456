"""From what a client asks to a job in the store, or to an answer that is there already."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool

from nobubble_api.asking import Asked
from nobubble_api.problems import ProblemError
from nobubble_api.service import Service
from nobubble_api.store.errors import IdempotencyConflictError, QueueFullError
from nobubble_api.store.model import Job, NewJob


async def submit(service: Service, asked: Asked, idempotency_key: str | None = None) -> Job:
    """Make a job of it, and have it done.

    Raises
    ------
    ProblemError
        The queue is full, the service stops, or the key was used for something else.
    """
    if service.is_stopping:
        raise ProblemError("unavailable", "the service is stopping", retry_after=10)
    new = NewJob(work=asked.work, name=asked.name, tags=asked.tags, idempotency_key=idempotency_key)
    most = service.settings.max_queued
    try:
        job, _ = await run_in_threadpool(lambda: service.store.submit(new, most_queued=most))
    except QueueFullError as error:
        raise ProblemError("too-busy", str(error), retry_after=10) from None
    except IdempotencyConflictError as error:
        raise ProblemError("conflict", str(error)) from None
    service.metrics.cache.labels("hit" if job.state == "done" else "miss").inc()
    service.runner.wake()
    return job
