"""A pool of worker processes on this machine, each of which can be killed and replaced."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, InvalidStateError
from concurrent.futures import TimeoutError as OutOfTime
from multiprocessing import get_context
from typing import Any, ParamSpec, TypeVar

from pebble import ProcessExpired, ProcessPool

from nobubble_api.execution.backend import OverdueError, WorkerLostError

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
            pool.stop()  # type: ignore[no-untyped-call]  # pebble leaves it unannotated
        else:
            pool.close()  # type: ignore[no-untyped-call]  # likewise
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
