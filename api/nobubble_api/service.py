"""The parts of a running service, and how they start and end."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from datetime import timedelta
from typing import Any, Final, TypeVar

import structlog
from starlette.concurrency import run_in_threadpool

from nobubble.comparison.candidates import Candidates
from nobubble_api.execution.backend import Backend, WorkerLostError
from nobubble_api.execution.opening import open_backend
from nobubble_api.flights import Flights
from nobubble_api.hub import Hub
from nobubble_api.metrics import Metrics
from nobubble_api.problems import ProblemError
from nobubble_api.runner import Runner
from nobubble_api.settings import Settings
from nobubble_api.store.store import Store

_LOG: Final = structlog.get_logger("nobubble.service")

_ASIDE_LIMIT: Final = 120.0
"""Seconds that a bound, a check or a picture may take."""
_CACHED_BYTES: Final = 64 * 2**20
_CACHED_ANSWERS: Final = 2**20

_T = TypeVar("_T")


class Service:
    """Store, workers, runner and hub of one process.

    Parameters
    ----------
    settings : Settings
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.metrics = Metrics()
        self.schedules = _Recent(_CACHED_BYTES)
        self.answers = _Recent(_CACHED_ANSWERS)
        self.comparisons = Flights[tuple[list[Candidates], list[str]]]()
        self.streams = 0
        self.is_open = False
        self.is_stopping = False
        self.solved_at = -float("inf")
        self.store: Store
        self.backend: Backend
        self.runner: Runner
        self.hub: Hub
        self._aside: Backend

    def open(self) -> None:
        """Open the store and start the workers.

        Raises
        ------
        NobubbleError
            One of them cannot be had; says why.
        """
        settings = self.settings
        self.store = Store.open(settings.store_url())
        self.backend = open_backend(settings.executor, workers=settings.workers)
        self._aside = open_backend("local", workers=1)
        self.is_open = True

    async def start(self) -> None:
        """Take up jobs, in the event loop of the service."""
        settings = self.settings
        if not self.is_open:
            await run_in_threadpool(self.open)
        self.hub = Hub(self.store)
        self.hub.start()
        owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        self.runner = Runner(
            self.store,
            self.backend,
            owner,
            self.hub.notify,
            self.metrics,
            max_time_limit=settings.max_time_limit,
            keep=timedelta(days=settings.keep_days),
        )
        self.metrics.watch_running(self.runner.running)
        self.runner.start()
        _LOG.info("started", owner=owner, executor=settings.executor, workers=self.backend.workers)

    def begin_to_stop(self) -> None:
        """Take no more work and let go of those who wait: before the server closes connections."""
        self.is_stopping = True
        self.hub.end()

    async def stop(self) -> None:
        """Take no more work; what does not end in time goes back to the queue."""
        self.is_stopping = True
        await run_in_threadpool(self.runner.close, self.settings.shutdown_grace)
        await self.hub.close()
        await run_in_threadpool(lambda: self.backend.close(wait=0))
        await run_in_threadpool(lambda: self._aside.close(wait=0))
        await run_in_threadpool(self.store.close)
        _LOG.info("stopped")

    async def aside(self, function: Callable[..., _T], *arguments: Any) -> _T:
        """Compute something in the worker that is kept for it.

        Raises
        ------
        ProblemError
            It takes too long, or more than the worker survives.
        """
        return await self._computed(self._aside, function, *arguments)

    async def in_worker(self, function: Callable[..., _T], *arguments: Any) -> _T:
        """Compute something that takes longer where solves run.

        Raises
        ------
        ProblemError
            It takes too long, or more than the worker survives.
        """
        return await self._computed(self.backend, function, *arguments)

    async def _computed(self, backend: Backend, function: Callable[..., _T], *arguments: Any) -> _T:
        future = backend.executor.submit(function, *arguments)
        try:
            return await asyncio.wait_for(asyncio.wrap_future(future), _ASIDE_LIMIT)
        except TimeoutError:
            raise ProblemError(
                "unavailable",
                f"this takes more than {_ASIDE_LIMIT:g} s here; use the command line for it",
                retry_after=60,
            ) from None
        except (WorkerLostError, BrokenExecutor):
            raise ProblemError(
                "unavailable", "the worker that computed this was lost; try again", retry_after=1
            ) from None

    async def schedule(self, content_hash: str) -> bytes | None:
        """Give a stored schedule's bytes."""
        known = self.schedules.get(content_hash)
        if known is None:
            known = await run_in_threadpool(self.store.schedule, content_hash)
            if known is not None:
                self.schedules.put(content_hash, known)
        return known


class _Recent:
    """What was used last, up to so many bytes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        self._kept: OrderedDict[str, bytes] = OrderedDict()

    def get(self, key: str) -> bytes | None:
        """Give a value, if it is kept."""
        found = self._kept.get(key)
        if found is not None:
            self._kept.move_to_end(key)
        return found

    def put(self, key: str, value: bytes) -> None:
        """Keep a value, and drop those that were not used for longest."""
        if len(value) > self._most // 4 or key in self._kept:
            return
        self._kept[key] = value
        self._held += len(value)
        while self._held > self._most:
            _, dropped = self._kept.popitem(last=False)
            self._held -= len(dropped)
