"""Solves in worker processes on this machine.

A run's work, its news, the request to stop it and its outcome travel over a connection of its own:
a worker that is killed breaks that one and nothing else. Through the pipe that all workers share
goes only what is too small to be cut in half.
"""

from __future__ import annotations

import contextlib
import secrets
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from multiprocessing.connection import Client, Connection, Listener
from pathlib import Path
from typing import Final

from nobubble.errors import NoScheduleError
from nobubble_api.execution.worker_pool import LocalExecutor
from nobubble_api.work import News, Solved, Work

_STOP: Final = "stop"


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
        Seconds that a solve has to stop when it is asked to, or when its time is over, beside
        those of its write-up.
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
        grace = self._grace + work.write_up_time()
        run = LocalRun(work, listener, grace)
        run_id = secrets.token_hex(16)
        self._runs[run_id] = run
        run.future.add_done_callback(lambda _: self._runs.pop(run_id, None))
        try:
            task = self.executor.schedule(
                hard_limit + grace, _solve, run_id, self._address, self._key
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
        # Wakes the thread that accepts; it may have ended already, so nothing waits for an answer.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as waking:
            waking.settimeout(1)
            waking.connect(self._address)
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
