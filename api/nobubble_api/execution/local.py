"""Worker processes on this machine, each of which can be killed and replaced.

A run's work, its news, the request to stop it and its outcome travel over a connection of its own:
a worker that is killed breaks that one and nothing else. Through the pipe that all workers share
goes only what is too small to be cut in half.
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

    When a worker dies only its own task fails, with `WorkerLostError`. The pool itself gives up
    when a worker dies while none has a task; then it is replaced.
    """

    def __init__(self, workers: int) -> None:
        self._workers = workers
        self._lock = threading.Lock()
        self._is_shut = False
        self._open()

    def _open(self) -> None:
        self._tasks: set[_Translated[Any]] = set()
        self._pool = ProcessPool(
            max_workers=self._workers,
            context=get_context("spawn"),
            initializer=_begin_worker,
            initargs=(os.getpid(),),
        )
        # Starts the workers, and ends when the first of them is ready.
        self._first = self._pool.schedule(os.getpid)

    def is_ready(self) -> bool:
        """Say whether a worker has begun, and the pool takes tasks."""
        with self._lock:
            if self._is_shut:
                return False
            self._replace_broken()
            return self._first.done() and self._first.exception() is None

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Run a function in a worker."""
        return self.schedule(None, fn, *args, **kwargs)

    def schedule(
        self, timeout: float | None, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs
    ) -> Future[T]:
        """Run a function in a worker that is killed when it takes longer, in seconds."""
        with self._lock:
            if self._is_shut:
                raise RuntimeError("the workers were stopped")
            self._replace_broken()
            inner = self._pool.schedule(fn, args=args, kwargs=kwargs, timeout=timeout)
            task: _Translated[T] = _Translated(inner)
            tasks = self._tasks
            tasks.add(task)
        task.add_done_callback(tasks.discard)
        return task

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more tasks; with `cancel_futures` those that run are killed."""
        with self._lock:
            self._is_shut = True
            pool, tasks = self._pool, self._tasks
        if cancel_futures:
            pool.stop()  # type: ignore[no-untyped-call]
        else:
            pool.close()  # type: ignore[no-untyped-call]
        if wait:
            _end_pool(pool, tasks)

    def _replace_broken(self) -> None:
        if self._pool.active:
            return
        remains = (self._pool, self._tasks)
        self._open()
        threading.Thread(target=_end_pool, args=remains, daemon=True).start()


def _end_pool(pool: ProcessPool, tasks: set[_Translated[Any]]) -> None:
    """Wait for the end of a pool, and say so to those that it forgot."""
    pool.join()
    for task in list(tasks):
        task.lose()


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

    def lose(self) -> None:
        """Say that nobody works on it any more."""
        self._fail(WorkerLostError("the workers were stopped"))

    def _take(self, inner: Any) -> None:
        try:
            value = inner.result()
        except OutOfTime:
            self._fail(OverdueError("the solve did not end in time"))
        except (ProcessExpired, BrokenExecutor) as lost:
            self._fail(WorkerLostError(f"the worker ended: {lost}"))
        except CancelledError:
            self._fail(WorkerLostError("the worker was stopped"))
        except BaseException as raised:
            self._fail(raised)
        else:
            with contextlib.suppress(InvalidStateError):
                self.set_result(value)

    def _fail(self, error: BaseException) -> None:
        with contextlib.suppress(InvalidStateError):
            self.set_exception(error)


class LocalRun:
    """A solve in one of the workers."""

    def __init__(self, work: Work, listener: Callable[[News], None], grace: float) -> None:
        self.future: Future[Solved] = Future()
        self._work = work
        self._listener = listener
        self._grace = grace
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._connection: Connection | None = None
        self._task: Future[None]

    def cancel(self) -> None:
        """Ask it to stop with the best so far; after the grace its worker is killed."""
        with self._lock:
            if self._is_cancelled or self.future.done():
                return
            self._is_cancelled = True
            self._send_stop()
        if not (self._task.running() or self._task.done()):
            # Left in the queue: the worker that comes to it finds that nobody waits.
            self._end(NoScheduleError("it was stopped before it had begun"))
            return
        timer = threading.Timer(self._grace, self._kill)
        timer.daemon = True
        timer.start()

    def follow(self, task: Future[None]) -> None:
        """Watch the task: where it fails there is no outcome."""
        self._task = task
        task.add_done_callback(self._finish)

    def serve(self, connection: Connection) -> None:
        """Give a worker its work, and take its news and the outcome."""
        with connection, contextlib.suppress(EOFError, OSError):
            connection.send(self._work)
            with self._lock:
                self._connection = connection
                if self._is_cancelled:
                    self._send_stop()
            while isinstance(message := connection.recv(), News):
                with contextlib.suppress(Exception):
                    self._listener(message)
            self._end(message)
        with self._lock:
            self._connection = None

    def _send_stop(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(OSError):
                self._connection.send(_STOP)

    def _kill(self) -> None:
        if not self.future.done():
            self._task.cancel()

    def _finish(self, task: Future[None]) -> None:
        error = task.exception()
        if error is not None:
            self._end(error)

    def _end(self, outcome: Solved | BaseException) -> None:
        with contextlib.suppress(InvalidStateError):  # It ended otherwise meanwhile.
            if isinstance(outcome, BaseException):
                self.future.set_exception(outcome)
            else:
                self.future.set_result(outcome)


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
        self._address = str(Path(self._folder.name) / "news")
        self._listening = Listener(
            self._address, "AF_UNIX", backlog=4 * workers + 16, authkey=self._key
        )
        self._runs: dict[str, LocalRun] = {}
        self._is_closed = False
        self._thread = threading.Thread(target=self._accept, name="nobubble-news", daemon=True)
        self._thread.start()

    @property
    def workers(self) -> int:
        """How many solves run at once."""
        return self._workers

    def submit(
        self, work: Work, listener: Callable[[News], None], *, hard_limit: float
    ) -> LocalRun:
        """Begin to solve; see `nobubble_api.execution.backend.Backend`."""
        run = LocalRun(work, listener, self._grace)
        run_id = secrets.token_hex(16)
        self._runs[run_id] = run
        run.future.add_done_callback(lambda _: self._runs.pop(run_id, None))
        try:
            task = self.executor.schedule(
                hard_limit + self._grace, _solve, run_id, self._address, self._key
            )
        except BaseException:
            del self._runs[run_id]
            raise
        run.follow(task)
        return run

    def is_alive(self) -> bool:
        """Say whether a worker can take work."""
        return not self._is_closed and self.executor.is_ready()

    def close(self, *, wait: float) -> None:
        """Take no more work, and kill what still runs after so many seconds."""
        self._is_closed = True
        end = time.monotonic() + wait
        while self._runs and time.monotonic() < end:
            time.sleep(0.02)
        self.executor.shutdown(wait=True, cancel_futures=True)
        with contextlib.suppress(OSError, EOFError):
            Client(self._address, authkey=self._key).close()  # Wakes the thread that accepts.
        self._thread.join(1)
        self._listening.close()
        self._folder.cleanup()

    def _accept(self) -> None:
        """Take connections of workers; each is served by a thread of its own."""
        while not self._is_closed:
            try:
                connection = self._listening.accept()
            except Exception:
                # A worker that was killed while it connected.
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
    for library in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
        os.environ[f"{library}_NUM_THREADS"] = "1"
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


def _solve(run_id: str, address: str, key: bytes) -> None:
    """Solve in a worker, with a connection to the service."""
    from nobubble_api.execution.solving import portable, solve_work

    with Client(address, authkey=key) as connection:
        connection.send(run_id)
        try:
            work: Work = connection.recv()
        except EOFError:  # Nobody waits for it any more.
            return
        line = _Line(connection)
        try:
            outcome: Solved | Exception = solve_work(work, line.report, line.is_stopped)
        except Exception as error:
            outcome = portable(error)
        connection.send(outcome)


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
