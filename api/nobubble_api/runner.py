"""Takes queued jobs from the store, has them solved, and writes down what comes of it."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import structlog

from nobubble.errors import NobubbleError, NoScheduleError
from nobubble_api.execution.backend import Backend, OverdueError, Run, WorkerLostError
from nobubble_api.metrics import Metrics
from nobubble_api.problems import problem, problem_of
from nobubble_api.store.errors import StoreError
from nobubble_api.store.model import Job
from nobubble_api.store.store import Store
from nobubble_api.work import News, Solved

_LOG: Final = structlog.get_logger("nobubble.runner")

BEAT: Final = 1.0
"""Seconds between two heartbeats."""
SILENCE: Final = timedelta(seconds=10)
"""Without a heartbeat for so long, a process counts as dead and its jobs are taken up."""
MOST_ATTEMPTS: Final = 3
"""A job whose worker died so often is given up: it may well be the job that kills it."""
_POLL: Final = 1.0
_TELL: Final = 0.2
"""Seconds between two progress events of a job; those between are dropped, the last is not."""
_TIDY: Final = 3600.0


@dataclass(slots=True)
class _Running:
    """A job under way here."""

    job: Job
    run: Run
    told_at: float = 0.0
    pending: News | None = None
    is_cancelled: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)


class Runner:
    """The loop between store and backend, in a thread of its own.

    Parameters
    ----------
    store : Store
    backend : Backend
    owner : str
        The name of this process in the store; another one after every start.
    notify : callable
        Takes the ids of jobs that have news.
    metrics : Metrics
    max_time_limit : float
        Seconds after which any solve ends with what it has.
    keep : timedelta
        How long ended jobs are kept.
    """

    def __init__(
        self,
        store: Store,
        backend: Backend,
        owner: str,
        notify: Callable[[Iterable[str]], None],
        metrics: Metrics,
        *,
        max_time_limit: float,
        keep: timedelta,
    ) -> None:
        self._store = store
        self._backend = backend
        self._owner = owner
        self._notify = notify
        self._metrics = metrics
        self._max_time_limit = max_time_limit
        self._keep = keep
        self._running: dict[str, _Running] = {}
        self._lock = threading.Lock()
        self._news = threading.Event()
        self._stopping = threading.Event()
        self._clerk = ThreadPoolExecutor(2, thread_name_prefix="nobubble-clerk")
        self._thread = threading.Thread(target=self._work, name="nobubble-runner", daemon=True)
        self._alive_at = time.monotonic()

    def start(self) -> None:
        """Begin to take jobs."""
        self._thread.start()

    def wake(self) -> None:
        """Say that a job was submitted or cancelled here: from any thread."""
        self._news.set()

    def running(self) -> int:
        """Count the jobs under way here."""
        with self._lock:
            return len(self._running)

    def is_alive(self) -> bool:
        """Say whether the loop turns."""
        return self._thread.is_alive() and time.monotonic() - self._alive_at < 10 * BEAT

    def close(self, grace: float) -> None:
        """Take no more jobs; what does not end within the grace goes back to the queue."""
        self._stopping.set()
        self._news.set()
        if self._thread.ident is not None:
            self._thread.join(10 * BEAT)
        end = time.monotonic() + grace
        while self.running() and time.monotonic() < end:
            self._beat()
            time.sleep(0.1)
        # Before the workers are killed, so that nothing of theirs is written down as failed.
        with contextlib.suppress(StoreError):
            released = self._store.release(self._owner)
            if released:
                _LOG.info("jobs went back to the queue", jobs=released)
        with self._lock:
            self._running.clear()
        self._clerk.shutdown(wait=False, cancel_futures=True)

    def _work(self) -> None:
        beaten = taken_back = tidied = -float("inf")
        while not self._stopping.is_set():
            self._alive_at = now = time.monotonic()
            try:
                if now - beaten >= BEAT:
                    beaten = now
                    self._beat()
                if now - taken_back >= SILENCE.total_seconds() / 4:
                    taken_back = now
                    self._notify(self._store.take_back(SILENCE, most_attempts=MOST_ATTEMPTS))
                if now - tidied >= _TIDY:
                    tidied = now
                    self._store.delete_ended(datetime.now(UTC) - self._keep)
                self._claim()
            except StoreError as error:
                _LOG.error("the store failed", error=str(error))
            except Exception:
                _LOG.exception("the runner failed")
            self._news.wait(_POLL)
            self._news.clear()

    def _beat(self) -> None:
        """Say that this process lives, and stop what somebody wants stopped."""
        try:
            beat = self._store.beat(self._owner)
        except StoreError as error:
            _LOG.error("the store failed", error=str(error))
            return
        with self._lock:
            running = list(self._running.values())
        for one in running:
            if one.job.id not in beat.running or one.job.id in beat.cancelled:
                # Cancelled, or taken up by another process, which thought that this one was dead.
                one.is_cancelled = True
                one.run.cancel()

    def _claim(self) -> None:
        """Start as many jobs as there are free workers."""
        free = self._backend.workers - self.running()
        if free <= 0 or not self._backend.is_alive():
            return
        jobs = self._store.claim(self._owner, free)
        for job in jobs:
            self._start(job)
        self._notify(job.id for job in jobs)

    def _start(self, job: Job) -> None:
        limit = min(job.work.time_limit or self._max_time_limit, self._max_time_limit)
        work = replace(job.work, time_limit=limit)
        holder: list[_Running] = []
        began = threading.Event()

        def listen(news: News) -> None:
            began.wait()
            self._tell(holder[0], news)

        try:
            run = self._backend.submit(work, listen, hard_limit=limit)
        except Exception as error:
            _LOG.exception("a job could not be started", job=job.id)
            self._end(job, None, problem("internal", f"the solve could not be started: {error}"))
            return
        one = _Running(job, run)
        holder.append(one)
        with self._lock:
            self._running[job.id] = one
        began.set()
        _LOG.info("job started", job=job.id, method=job.work.method, attempt=job.attempts)
        run.future.add_done_callback(lambda future: self._ended(one, future))

    def _tell(self, one: _Running, news: News) -> None:
        """Write down progress, but not too often."""
        with one.lock:
            now = time.monotonic()
            if news.document is None and now - one.told_at < _TELL:
                one.pending = news
                return
            one.told_at, one.pending = now, None
        self._write(one, news)

    def _write(self, one: _Running, news: News) -> None:
        try:
            self._store.report(one.job.id, self._owner, news)
        except NobubbleError as error:
            _LOG.warning("progress could not be stored", job=one.job.id, error=str(error))
            return
        self._notify([one.job.id])

    def _ended(self, one: _Running, future: Future[Solved]) -> None:
        """Hand the end of a run to the clerks: this is called in a thread of the backend."""
        with contextlib.suppress(RuntimeError):  # Closed: the job went back to the queue.
            self._clerk.submit(self._note_end, one, future)

    def _note_end(self, one: _Running, future: Future[Solved]) -> None:
        job = one.job
        try:
            solved, failure, is_lost = _outcome(one, future)
            if one.pending is not None:
                self._write(one, one.pending)
            if is_lost and not one.is_cancelled:
                _LOG.warning("a worker was lost", job=job.id, attempt=job.attempts)
                give_back = self._store.give_back
                self._notify(
                    self._insist(
                        lambda: give_back(job.id, self._owner, most_attempts=MOST_ATTEMPTS)
                    )
                )
            else:
                self._end(job, solved, failure, is_cancelled=one.is_cancelled)
        except Exception:
            _LOG.exception("the end of a job could not be written down", job=job.id)
        finally:
            with self._lock:
                self._running.pop(job.id, None)
            self._news.set()

    def _end(
        self,
        job: Job,
        solved: Solved | None,
        failure: dict[str, Any] | None,
        *,
        is_cancelled: bool = False,
    ) -> None:
        ended = self._insist(
            lambda: self._store.finish(
                job.id, self._owner, solved, problem=failure, cancelled=is_cancelled
            )
        )
        if solved is not None:
            self._metrics.solved(solved)
        _LOG.info(
            "job ended",
            job=job.id,
            seconds=None if solved is None else round(solved.seconds, 3),
            problem=None if failure is None else failure["type"],
        )
        self._notify(ended)

    def _insist(self, write: Callable[[], list[str]]) -> list[str]:
        """Write until the store takes it: a result is worth more than the wait."""
        while True:
            try:
                return write()
            except StoreError as error:
                _LOG.error("the store failed; trying again", error=str(error))
                if self._stopping.wait(BEAT):
                    raise


def _outcome(
    one: _Running, future: Future[Solved]
) -> tuple[Solved | None, dict[str, Any] | None, bool]:
    """Give what a run ended with: a schedule, a problem, or a lost worker."""
    try:
        return future.result(), None, False
    except OverdueError as error:
        return None, problem("worker-lost", f"{error}, and its worker was killed"), False
    except (WorkerLostError, CancelledError):
        return None, None, True
    except NoScheduleError as error:
        return None, None if one.is_cancelled else problem_of(error), False
    except NobubbleError as error:
        return None, problem_of(error), False
    except Exception as error:
        _LOG.exception("a solve failed", job=one.job.id)
        return None, problem("internal", f"the solve failed: {type(error).__name__}"), False
