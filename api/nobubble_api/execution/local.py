"""Worker processes on this machine, each of which can be killed and replaced.

A run's news, and the request to stop it, travel over a connection of its own: a worker that is
killed breaks its own connection and nothing else.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, InvalidStateError
from concurrent.futures import TimeoutError as OutOfTime
from multiprocessing import get_context
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Any, Final, ParamSpec, TypeVar

from pebble import ProcessExpired, ProcessPool

from nobubble.errors import NoScheduleError
from nobubble_api.execution.backend import OverdueError, WorkerLostError
from nobubble_api.work import News, Solved, Work

_STOP: Final = "stop"

P = ParamSpec("P")
T = TypeVar("T")


class LocalExecutor(Executor):
    """A pool of processes with the interface of `concurrent.futures.Executor`.

    When a worker dies only its own task fails, with `WorkerLostError`.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._is_shut = False
        self._pool = self._new_pool()

    @property
    def pool(self) -> ProcessPool:
        """The pool; another one when it broke, which fails the tasks that it had."""
        if not self._is_shut and not self._pool.active:
            self._pool = self._new_pool()
        return self._pool

    def _new_pool(self) -> ProcessPool:
        return ProcessPool(
            max_workers=self._workers,
            context=get_context("spawn"),
            initializer=_begin_worker,
            initargs=(os.getpid(),),
        )

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a function in a worker."""
        return self.schedule(None, fn, *args, **kwargs)

    def schedule(
        self, timeout: float | None, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[T]:
        """Run a function in a worker that is killed when it takes longer, in seconds."""
        inner = self.pool.schedule(fn, args=args, kwargs=kwargs, timeout=timeout)
        return _Translated(inner)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more tasks; with `cancel_futures` those that run are killed."""
        self._is_shut = True
        if cancel_futures:
            self.pool.stop()
        else:
            self.pool.close()
        if wait:
            self.pool.join()


class _Translated(Future[T]):
    """A pool's future whose errors are those of `nobubble_api.execution.backend`."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self._inner = inner
        inner.add_done_callback(self._take)

    def cancel(self) -> bool:
        """Cancel the task; its worker is killed where it runs already."""
        cancelled: bool = self._inner.cancel()
        return cancelled

    def running(self) -> bool:
        """Say whether a worker has begun with it."""
        running: bool = self._inner.running()
        return running

    def _take(self, inner: Any) -> None:
        try:
            value = inner.result()
        except OutOfTime:
            error: BaseException = OverdueError("the solve did not end in time")
        except ProcessExpired as lost:
            error = WorkerLostError(f"the worker ended: {lost}")
        except (CancelledError, BrokenExecutor):
            error = WorkerLostError("the worker was stopped")
        except BaseException as raised:
            error = raised
        else:
            self.set_result(value)
            return
        self.set_exception(error)


class LocalRun:
    """A solve in one of the workers."""

    def __init__(self, listener: Callable[[News], None], grace: float) -> None:
        self.future: Future[Solved] = Future()
        self._listener = listener
        self._grace = grace
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._connection: Connection | None = None
        self._task: Future[Solved] | None = None

    def cancel(self) -> None:
        """Ask it to stop with the best so far; after the grace its worker is killed."""
        with self._lock:
            if self._is_cancelled or self.future.done():
                return
            self._is_cancelled = True
            self._send_stop()
        if self._task is not None and not self._task.running():
            self._kill()  # It waits for a worker still.
        timer = threading.Timer(self._grace, self._kill)
        timer.daemon = True
        timer.start()

    def follow(self, task: Future[Solved]) -> None:
        """Take the outcome of the task."""
        self._task = task
        task.add_done_callback(self._finish)

    def serve(self, connection: Connection) -> None:
        """Take a worker's news until it hangs up."""
        with self._lock:
            self._connection = connection
            if self._is_cancelled:
                self._send_stop()
        with contextlib.suppress(EOFError, OSError):
            while True:
                news = connection.recv()
                with contextlib.suppress(Exception):
                    self._listener(news)
        with self._lock:
            self._connection = None
        connection.close()

    def _send_stop(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(OSError):
                self._connection.send(_STOP)

    def _kill(self) -> None:
        if self._task is not None and not self.future.done():
            self._task.cancel()

    def abandon(self) -> None:
        """Give it up: its worker is gone, and the pool says no more."""
        self._fail(WorkerLostError("the service stopped"))

    def _finish(self, task: Future[Solved]) -> None:
        error = task.exception()
        if error is None:
            with contextlib.suppress(InvalidStateError):
                self.future.set_result(task.result())
        elif isinstance(error, WorkerLostError) and self._is_cancelled:
            self._fail(NoScheduleError("it was stopped before there was a schedule"))
        else:
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        with contextlib.suppress(InvalidStateError):
            self.future.set_exception(error)


class LocalBackend:
    """Solves in worker processes of this machine.

    Parameters
    ----------
    workers : int
    grace : float
        Seconds that a solve has to stop when it is asked to, or when its time is over.
    """

    def __init__(self, workers: int, grace: float) -> None:
        self._workers = workers
        self._grace = grace
        self.executor = LocalExecutor(workers)
        self._folder = tempfile.TemporaryDirectory(prefix="nobubble-")
        self._key = secrets.token_bytes(32)
        # The worker's connection waits here until it is taken, so the backlog covers all of them.
        self._listening = Listener(
            str(Path(self._folder.name) / "news"),
            "AF_UNIX",
            backlog=4 * workers + 16,
            authkey=self._key,
        )
        self._runs: dict[str, LocalRun] = {}
        self._is_closed = False
        self._thread = threading.Thread(target=self._accept, name="nobubble-news", daemon=True)
        self._thread.start()
        self.is_alive()  # Starts the pool, which would else wait for the first task.

    @property
    def workers(self) -> int:
        """How many solves run at once."""
        return self._workers

    def submit(
        self, work: Work, listener: Callable[[News], None], *, hard_limit: float
    ) -> LocalRun:
        """Begin to solve; see `nobubble_api.execution.backend.Backend`."""
        run = LocalRun(listener, self._grace)
        run_id = secrets.token_hex(16)
        self._runs[run_id] = run
        run.future.add_done_callback(lambda _: self._runs.pop(run_id, None))
        task = self.executor.schedule(
            hard_limit + self._grace, _solve, work, run_id, str(self._listening.address), self._key
        )
        run.follow(task)
        return run

    def is_alive(self) -> bool:
        """Say whether the pool takes tasks."""
        return not self._is_closed and bool(self.executor.pool.active)

    def close(self, *, wait: float) -> None:
        """Take no more work, and kill what still runs after so many seconds."""
        self._is_closed = True
        end = time.monotonic() + wait
        while self._runs and time.monotonic() < end:
            time.sleep(0.02)
        self.executor.shutdown(wait=True, cancel_futures=True)
        for run in list(self._runs.values()):
            run.abandon()
        self._listening.close()
        self._folder.cleanup()

    def _accept(self) -> None:
        """Take connections of workers; each is served by a thread of its own."""
        while not self._is_closed:
            try:
                connection = self._listening.accept()
            except Exception:
                # A worker that was killed while it connected, or the end.
                if self._is_closed:
                    return
                time.sleep(0.01)
                continue
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: Connection) -> None:
        try:
            run = self._runs.get(connection.recv())
        except (EOFError, OSError):
            run = None
        if run is None:
            connection.close()
        else:
            run.serve(connection)


def _begin_worker(service: int) -> None:
    """Prepare a worker: it leaves signals to the service, and does not outlive it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Read by what is imported later: a worker is one thread of work.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    threading.Thread(target=_watch_over, args=(service,), daemon=True).start()
    # Not with its first solve: that would make somebody wait.
    from nobubble.compiled.loading import load_kernels
    from nobubble.verifier import verify  # noqa: F401

    load_kernels()


def _watch_over(service: int) -> None:
    """End with the service, however it ends."""
    while os.getppid() == service:
        time.sleep(0.5)
    os._exit(1)


def _solve(work: Work, run_id: str, address: str, key: bytes) -> Solved:
    """Solve in a worker, with a connection to the service."""
    from nobubble_api.execution.solving import solve_work

    with Client(address, authkey=key) as connection:
        connection.send(run_id)
        line = _Line(connection)
        return solve_work(work, line.report, line.is_stopped)


class _Line:
    """A worker's end of a run's connection; solvers ask from several threads."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._is_stopped = False

    def report(self, news: News) -> None:
        """Send news; where nobody listens any more, the solve goes on."""
        with contextlib.suppress(OSError):
            self._connection.send(news)

    def is_stopped(self) -> bool:
        """Say whether the service wants it to stop."""
        with self._lock:
            if not self._is_stopped:
                try:
                    self._is_stopped = self._connection.poll() and self._connection.recv() == _STOP
                except (EOFError, OSError):
                    self._is_stopped = True
            return self._is_stopped
