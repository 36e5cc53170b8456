"""Solves on a Dask cluster: it places the work, and survives lost workers.

Dask's own `cancel` does not stop a call that runs, so the request travels by an `Event`; progress
travels by the cluster's event log.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future
from dataclasses import asdict, fields, replace
from decimal import Decimal
from typing import Any, Final

from nobubble._version import __version__
from nobubble.errors import InputError, NobubbleError, NoScheduleError
from nobubble_api.execution.backend import OverdueError, WorkerLostError
from nobubble_api.work import News, Solved, Work

try:
    import distributed
    from distributed.comm.core import CommClosedError
    from distributed.scheduler import KilledWorker
except ImportError:
    raise InputError(
        "NOBUBBLE_EXECUTOR: Dask is not installed; pip install 'nobubble[cluster]', or take local"
    ) from None

_CONNECT: Final = 20.0
"""Seconds to wait for a scheduler."""
_LARGEST_DRAFT: Final = 2**20
"""Bytes of a best so far that are sent through the scheduler; larger ones are left out."""
_KEYS: Final = tuple(field.name for field in fields(News))
_GLANCE: Final = 2.0
"""Seconds for which the number of workers counts."""


class DaskRun:
    """A solve on the cluster."""

    def __init__(self, backend: DaskBackend, listener: Callable[[News], None]) -> None:
        self.future: Future[Solved] = Future()
        self.name = f"nobubble-{secrets.token_hex(16)}"
        self._backend = backend
        self._listener = listener
        self._is_cancelled = False
        self._task: Future[Solved] | None = None
        self._timer: threading.Timer | None = None

    def cancel(self) -> None:
        """Ask it to stop with the best so far; after the grace nobody waits for it any more."""
        if self._is_cancelled or self.future.done():
            return
        self._is_cancelled = True
        threading.Thread(target=self._ask_to_stop, daemon=True).start()
        self.give_up_after(self._backend.grace, self._stopped)

    def follow(self, task: Future[Solved], hard_limit: float) -> None:
        """Take the outcome of the task, as long as it comes in time."""
        self._task = task
        self._timer = self.give_up_after(hard_limit, self._overdue)
        task.add_done_callback(self._finish)

    def hear(self, event: Any) -> None:
        """Take an event of the cluster's log."""
        _, message = event
        with contextlib.suppress(Exception):
            self._listener(_news_of(message))

    def give_up_after(self, seconds: float, action: Callable[[], None]) -> threading.Timer:
        """Do something after some seconds."""
        timer = threading.Timer(seconds, action)
        timer.daemon = True
        timer.start()
        return timer

    def _ask_to_stop(self) -> None:
        with contextlib.suppress(Exception):
            distributed.Event(self.name, client=self._backend.client).set()

    def _stopped(self) -> None:
        self._end(NoScheduleError("it was stopped before there was a schedule"))

    def _overdue(self) -> None:
        self._ask_to_stop()
        self._end(OverdueError("the solve did not end in time"))

    def _end(self, outcome: BaseException | Solved) -> None:
        with contextlib.suppress(Exception):  # It ended otherwise meanwhile.
            if isinstance(outcome, BaseException):
                self.future.set_exception(outcome)
            else:
                self.future.set_result(outcome)
            if self._timer is not None:
                self._timer.cancel()
            if self._task is not None:
                self._task.cancel()

    def _finish(self, task: Future[Solved]) -> None:
        try:
            self._end(task.result())
        except CancelledError:
            self._end(WorkerLostError("the scheduler was lost"))
        except NobubbleError as error:
            self._end(error)
        except Exception as error:
            is_lost = isinstance(error, (KilledWorker, CommClosedError, OSError))
            self._end(WorkerLostError(f"the worker was lost: {error}") if is_lost else error)


class DaskBackend:
    """Solves on the workers of a Dask scheduler.

    Parameters
    ----------
    address : str
    workers : int or None
        At most so many solves at once; None takes all threads of the cluster.
    grace : float

    Raises
    ------
    InputError
        The scheduler does not answer.
    """

    def __init__(self, address: str, workers: int | None, grace: float) -> None:
        self.grace = grace
        self._most = workers
        self._threads = 0
        self._glanced_at = -float("inf")
        self._lock = threading.Lock()
        self._runs: set[DaskRun] = set()
        self._is_closed = False
        try:
            self.client = distributed.Client(
                address, timeout=_CONNECT, set_as_default=False, name="nobubble"
            )
        except (OSError, TimeoutError) as error:
            raise InputError(
                f"NOBUBBLE_EXECUTOR: there is no Dask scheduler at {address}: {error}"
            ) from None
        self.executor: Executor = self.client.get_executor(pure=False)

    @property
    def workers(self) -> int:
        """How many solves run at once now."""
        with self._lock:
            if time.monotonic() - self._glanced_at >= _GLANCE:
                self._glanced_at = time.monotonic()
                self._threads = self._count()
            return self._threads if self._most is None else min(self._threads, self._most)

    def _count(self) -> int:
        if self._is_closed or self.client.status != "running":
            return 0
        try:
            return sum(self.client.nthreads().values())
        except Exception:  # The scheduler went away; the client looks for it.
            return 0

    def submit(self, work: Work, listener: Callable[[News], None], *, hard_limit: float) -> DaskRun:
        """Begin to solve; see `nobubble_api.execution.backend.Backend`."""
        run = DaskRun(self, listener)
        self._runs.add(run)
        self.client.subscribe_topic(run.name, run.hear)
        run.future.add_done_callback(lambda _: self._forget(run))
        # Pickled by Dask where it is not plain: so the work travels as text.
        task = self.executor.submit(_solve, work.to_json(), run.name, __version__)
        run.follow(task, hard_limit + self.grace)
        return run

    def is_alive(self) -> bool:
        """Say whether the cluster has a worker."""
        return self.workers > 0

    def close(self, *, wait: float) -> None:
        """Take no more work, and stop what still runs after so many seconds."""
        self._is_closed = True
        end = time.monotonic() + wait
        while self._runs and time.monotonic() < end:
            time.sleep(0.02)
        for run in list(self._runs):
            run.cancel()
        with contextlib.suppress(Exception):
            self.client.close(timeout=self.grace)

    def _forget(self, run: DaskRun) -> None:
        self._runs.discard(run)
        # Not here: this may be called in the client's own thread.
        threading.Thread(target=self._unsubscribe, args=(run.name,), daemon=True).start()

    def _unsubscribe(self, name: str) -> None:
        with contextlib.suppress(Exception):
            self.client.unsubscribe_topic(name)


def _solve(text: str, name: str, version: str) -> Solved:
    """Solve on a worker of the cluster."""
    if version != __version__:
        raise InputError(
            f"the Dask worker has nobubble {__version__}, the service {version}: their answers may "
            "differ; install the same version on both"
        )
    from nobubble_api.execution.solving import solve_work

    worker = distributed.get_worker()
    # Made in the task's thread, where the client can be found, and awaited in another.
    event = distributed.Event(name, client=distributed.get_client())
    is_stopped = threading.Event()

    def wait() -> None:
        with contextlib.suppress(Exception):
            if event.wait():
                is_stopped.set()

    threading.Thread(target=wait, daemon=True).start()

    def report(news: News) -> None:
        if news.document is not None and len(news.document) > _LARGEST_DRAFT:
            news = replace(news, document=None)
        with contextlib.suppress(Exception):
            worker.log_event(name, _message_of(news))

    try:
        return solve_work(Work.from_json(text), report, is_stopped.is_set)
    finally:
        with contextlib.suppress(Exception):
            event.set()  # Lets the helper thread go.


def _message_of(news: News) -> dict[str, Any]:
    """Give news as plain values."""
    message = asdict(news)
    for key in ("cost", "lower_bound"):
        if message[key] is not None:
            message[key] = str(message[key])
    if message["document"] is not None:
        message["document"] = message["document"].decode()
    return message


def _news_of(message: dict[str, Any]) -> News:
    values = {key: message[key] for key in _KEYS}  # Dask adds the worker's address.
    for key in ("cost", "lower_bound"):
        if values[key] is not None:
            values[key] = Decimal(values[key])
    if values["document"] is not None:
        values["document"] = values["document"].encode()
    return News(**values)
