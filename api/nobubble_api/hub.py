"""Wakes those who wait for news of a job, from whichever process the news comes."""

from __future__ import annotations

import asyncio
import contextlib
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Final

from starlette.concurrency import run_in_threadpool

from nobubble.errors import NobubbleError
from nobubble_api.store.store import Store

_POLL: Final = 0.5
"""Seconds between looks into the database for jobs that another process runs."""


class Hub:
    """Subscriptions to jobs.

    Parameters
    ----------
    store : Store
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._task: asyncio.Task[None] | None = None
        self.is_closed = False

    def start(self) -> None:
        """Begin, in the event loop of the service."""
        self._loop = asyncio.get_running_loop()
        self._task = self._loop.create_task(self._poll())

    def end(self) -> None:
        """End every subscription: whoever waits is woken, and sees that this is closed."""
        self.is_closed = True
        self._wake(list(self._waiting))

    async def close(self) -> None:
        """End every subscription, and the look-out."""
        self.end()
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    def notify(self, job_ids: Iterable[str]) -> None:
        """Say that there is news of jobs: from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            with contextlib.suppress(RuntimeError):  # The loop closed meanwhile.
                self._loop.call_soon_threadsafe(self._wake, list(job_ids))

    @asynccontextmanager
    async def listening(self, job_id: str) -> AsyncIterator[asyncio.Event]:
        """Give an event that is set whenever there may be news of a job; to be cleared by hand."""
        event = asyncio.Event()
        self._waiting[job_id].add(event)
        try:
            yield event
        finally:
            self._waiting[job_id].discard(event)
            if not self._waiting[job_id]:
                del self._waiting[job_id]

    def _wake(self, job_ids: Iterable[str]) -> None:
        for job_id in job_ids:
            for event in self._waiting.get(job_id, ()):
                event.set()

    async def _poll(self) -> None:
        """Look for events of jobs that are waited for, since another process may run them."""
        known: dict[str, int] = {}
        while True:
            await asyncio.sleep(_POLL)
            waiting = list(self._waiting)
            if not waiting:
                known = {}
                continue
            try:
                latest = await run_in_threadpool(self._store.latest_events, waiting)
            except NobubbleError:
                continue  # The store is away; /readyz says so.
            self._wake(job for job, last in latest.items() if known.get(job) != last)
            known = latest
