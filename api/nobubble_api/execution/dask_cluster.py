"""Solves on a Dask cluster: it places the work, and survives lost workers.

Dask's own `cancel` does not stop a call that runs, and its scheduler keeps what goes through its
event log. So only figures go by the log, in one topic; the request to stop and the best schedule so
far go by calls to the worker that has the run, of which nothing remains.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
import zlib
from collections.abc import Callable
from concurrent.futures import CancelledError, Executor, Future, InvalidStateError
from decimal import Decimal
from queue import SimpleQueue
from typing import Any, Final

import structlog

from nobubble._version import __version__
from nobubble.errors import InputError, NobubbleError, NoScheduleError
from nobubble_api.execution.backend import OverdueError, VersionError, WorkerLostError
from nobubble_api.work import News, Solved, Work

try:
    import distributed
    from distributed.comm.core import CommClosedError
    from distributed.scheduler import KilledWorker

    from nobubble_api.execution.dask_worker import (
        check_version,
        draft_of,
        end_worker,
        own_version,
        solve_here,
        stop_solve,
    )
except ImportError:
    raise InputError(
        "NOBUBBLE_EXECUTOR: Dask is not installed; pip install 'nobubble[cluster]', or take local"
    ) from None

_LOG: Final = structlog.get_logger("nobubble.execution")

_CONNECT: Final = 20.0
"""Seconds to wait for a scheduler."""
_GLANCE: Final = 2.0
"""Seconds between two looks at the cluster."""


class DaskRun:
    """A solve on the cluster."""

    def __init__(
        self,
        backend: DaskBackend,
        listener: Callable[[News], None],
        hard_limit: float,
        grace: float,
    ) -> None:
        self.future: Future[Solved] = Future()
        self.name = secrets.token_hex(16)
        self._backend = backend
        self._listener = listener
        self._hard_limit = hard_limit
        self._grace = grace
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._worker: str | None = None
        self._task: Future[Solved] | None = None
        self._timers: list[threading.Timer] = []
        # Told in a thread of its own: a listener may take its time, the client's thread must not.
        self._messages: SimpleQueue[dict[str, Any] | Solved | BaseException | None] = SimpleQueue()
        threading.Thread(target=self._tell, name="nobubble-news", daemon=True).start()
        self.future.add_done_callback(self._clear)

    def cancel(self) -> None:
        """Ask it to stop with the best so far; after the grace its worker is killed."""
        with self._lock:
            if self._is_cancelled or self.future.done():
                return
            self._is_cancelled = True
            has_begun = self._worker is not None
        if not has_begun:
            self.end(NoScheduleError("it was stopped before it had begun"))
            return
        threading.Thread(target=self._ask_to_stop, daemon=True).start()
        self._after(self._grace, self._not_stopped)

    def follow(self, task: Future[Solved]) -> None:
        """Take the outcome of the task."""
        self._task = task
        task.add_done_callback(lambda task: self._messages.put(_outcome(task)))
        if self.future.done():
            task.cancel()

    def hear(self, message: dict[str, Any]) -> None:
        """Take a message of a worker: in the client's thread, which it must not hold up."""
        if "text" in message:
            self._messages.put(message)
            return
        # A worker begins with it: perhaps not the first, then its time starts again.
        with self._lock:
            self._worker = message["worker"]
            is_cancelled = self._is_cancelled
        if is_cancelled:
            threading.Thread(target=self._ask_to_stop, daemon=True).start()
            return
        self._stop_timers()
        self._after(self._hard_limit + self._grace, self._overdue)

    def end(self, outcome: Solved | BaseException) -> None:
        """Set the outcome, unless there is one."""
        with contextlib.suppress(InvalidStateError):
            if isinstance(outcome, BaseException):
                self.future.set_exception(outcome)
            else:
                self.future.set_result(outcome)

    def _tell(self) -> None:
        while (message := self._messages.get()) is not None:
            if not isinstance(message, dict):
                self.end(message)
                continue
            with contextlib.suppress(Exception):
                self._listener(_news_of(message, self._draft() if message["has_draft"] else None))

    def _draft(self) -> bytes | None:
        draft = self._backend.call(self._worker, draft_of, self.name)
        return zlib.decompress(draft) if isinstance(draft, bytes) else None

    def _ask_to_stop(self) -> None:
        self._backend.call(self._worker, stop_solve, self.name)

    def _not_stopped(self) -> None:
        self._kill(WorkerLostError("the solve did not stop in time, and its worker was killed"))

    def _overdue(self) -> None:
        self._kill(OverdueError("the solve did not end in time"))

    def _kill(self, error: WorkerLostError) -> None:
        if self.future.done():
            return
        self.end(error)  # First, so that Dask does not give it to another worker.
        self._backend.call(self._worker, end_worker, self.name)

    def _after(self, seconds: float, action: Callable[[], None]) -> None:
        timer = threading.Timer(seconds, action)
        timer.daemon = True
        self._timers.append(timer)
        timer.start()

    def _stop_timers(self) -> None:
        while self._timers:
            self._timers.pop().cancel()

    def _clear(self, future: Future[Solved]) -> None:
        self._stop_timers()
        self._messages.put(None)
        # The cluster keeps the result as long as the task is held here.
        task, self._task = self._task, None
        if task is not None and not task.done():
            # Not here: it waits for the scheduler.
            threading.Thread(target=task.cancel, daemon=True).start()


class DaskBackend:
    """Solves on the workers of a Dask scheduler.

    Parameters
    ----------
    address : str
    workers : int or None
        At most so many solves at once; None takes all threads of the cluster.
    grace : float
        Seconds that a solve has to stop when it is asked to, or when its time is over, beside
        those of its write-up.

    Raises
    ------
    InputError
        The scheduler does not answer.
    VersionError
        Another version of nobubble is on the cluster.
    """

    def __init__(self, address: str, workers: int | None, grace: float) -> None:
        self.grace = grace
        self._address = address
        self._most = workers
        self._topic = f"nobubble-{secrets.token_hex(8)}"
        self._runs: dict[str, DaskRun] = {}
        self._is_closed = threading.Event()
        self._connect()
        self._threads = self._count()
        threading.Thread(target=self._watch, name="nobubble-cluster", daemon=True).start()

    @property
    def workers(self) -> int:
        """How many solves run at once now, as of the last look."""
        return self._threads if self._most is None else min(self._threads, self._most)

    def submit(self, work: Work, listener: Callable[[News], None], *, hard_limit: float) -> DaskRun:
        """Begin to solve; see `nobubble_api.execution.backend.Backend`."""
        grace = self.grace + work.write_up_time()
        run = DaskRun(self, listener, hard_limit, grace)
        self._runs[run.name] = run
        run.future.add_done_callback(lambda _: self._runs.pop(run.name, None))
        # The worker's own guard comes last: it is for a solve that nobody watches any more.
        limit = hard_limit + 3 * grace
        try:
            # Every time, since a scheduler that was started again does not know of it.
            self.client.subscribe_topic(self._topic, self._hear)
            # Pickled by Dask where it is not plain: so the work travels as text.
            task = self.executor.submit(
                solve_here, work.to_json(), run.name, self._topic, __version__, limit
            )
        except Exception as error:  # The client is closed; it is replaced at the next look.
            run.end(WorkerLostError(f"the scheduler was lost: {error}"))
        else:
            run.follow(task)
        return run

    def is_alive(self) -> bool:
        """Say whether the cluster has a worker."""
        return self.workers > 0

    def close(self, *, wait: float) -> None:
        """Take no more work, and stop what still runs after so many seconds."""
        self._is_closed.set()
        end = time.monotonic() + wait
        while self._runs and time.monotonic() < end:
            time.sleep(0.02)
        for run in list(self._runs.values()):
            run.end(WorkerLostError("the service stopped"))
        self._threads = 0
        # The scheduler drops what this client wanted, and the solvers see that.
        with contextlib.suppress(Exception):
            self.client.close(timeout=self.grace)

    def call(self, worker: str | None, function: Callable[[str], object], name: str) -> object:
        """Call a function on a worker, beside its tasks; None where the worker is not there."""
        if worker is None:
            return None
        try:
            answers = self.client.run(function, name, workers=[worker], on_error="ignore")
        except Exception:
            return None
        return answers.get(worker)

    def _hear(self, event: Any) -> None:
        _, message = event
        run = self._runs.get(message["run"])
        if run is not None:
            run.hear(message)

    def _connect(self) -> None:
        try:
            self.client = distributed.Client(
                self._address, timeout=_CONNECT, set_as_default=False, name="nobubble"
            )
        except (OSError, TimeoutError) as error:
            raise InputError(
                f"NOBUBBLE_EXECUTOR: there is no Dask scheduler at {self._address}: {error}"
            ) from None
        self.executor: Executor = self.client.get_executor(pure=False)
        try:
            self._check_versions()
        except NobubbleError:
            self.client.close(timeout=self.grace)
            raise

    def _check_versions(self) -> None:
        """Refuse a cluster that gives other answers, or none: the scheduler needs nobubble too."""
        try:
            found = {"scheduler": self.client.run_on_scheduler(own_version)}
            found |= self.client.run(own_version)
        except ImportError as error:
            raise VersionError(
                f"the Dask cluster at {self._address} lacks nobubble: {error}; install version "
                f"{__version__} for its scheduler and for its workers"
            ) from None
        for where, version in found.items():
            check_version(where, version, __version__)

    def _count(self) -> int:
        if self.client.status != "running":
            return 0
        try:
            return sum(self.client.nthreads().values())
        except Exception:  # The scheduler went away; the client looks for it.
            return 0

    def _watch(self) -> None:
        """Look at the cluster now and then; when the client gave it up, connect again."""
        while not self._is_closed.wait(_GLANCE):
            if self.client.status == "closed":
                try:
                    self._connect()
                except Exception as error:
                    _LOG.warning("the cluster is out of reach", error=str(error))
            self._threads = self._count()


def _outcome(task: Future[Solved]) -> Solved | BaseException:
    try:
        return task.result()
    except CancelledError:
        return WorkerLostError("the scheduler was lost")
    except (KilledWorker, CommClosedError, OSError) as error:
        return WorkerLostError(f"the worker was lost: {error}")
    except Exception as error:
        return error


def _news_of(message: dict[str, Any], document: bytes | None) -> News:
    cost, lower_bound = message["cost"], message["lower_bound"]
    return News(
        text=message["text"],
        method=message["method"],
        cost=None if cost is None else Decimal(cost),
        lower_bound=None if lower_bound is None else Decimal(lower_bound),
        gap=message["gap"],
        document=document,
    )
