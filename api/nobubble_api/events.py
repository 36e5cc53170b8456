"""A job's events as a stream of server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from starlette.concurrency import run_in_threadpool

from nobubble_api.service import Service
from nobubble_api.wire import event_document, job_document

_PATIENCE: Final = 15.0
"""Seconds after which a comment shows proxies that the stream lives."""
_PAGE: Final = 500


async def follow(service: Service, job_id: str, after: int) -> AsyncIterator[str]:
    """Give the events after one, as they come; the last is `end`, with the job.

    When the service stops the stream just ends, and the client comes back with Last-Event-ID.
    """
    async with service.hub.listening(job_id) as news:
        while True:
            news.clear()
            # The job before its events: were it the other way round, the last could be missed.
            job = await run_in_threadpool(service.store.job, job_id)
            while True:
                events = await run_in_threadpool(service.store.events, job_id, after, _PAGE)
                for event in events:
                    after = event.sequence
                    yield _event(event.kind, event_document(event), after)
                if len(events) < _PAGE:
                    break
            if job.ended:
                yield _event("end", job_document(job), job.last_event)
                return
            if service.hub.is_closed:
                return
            try:
                await asyncio.wait_for(news.wait(), _PATIENCE)
            except TimeoutError:
                yield ": still here\n\n"


def _event(kind: str, document: Mapping[str, Any], sequence: int) -> str:
    from nobubble.schedule.writing import json_text

    lines = "".join(f"data: {line}\n" for line in json_text(document).splitlines())
    return f"id: {sequence}\nevent: {kind}\n{lines}\n"
