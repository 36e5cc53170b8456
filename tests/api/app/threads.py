"""A backend in threads: quick to start, and a test may decide when a solve goes on."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor

from nobubble_api.execution.solving import solve_work
from nobubble_api.work import News, Solved, Work

Solve = Callable[[Work, Callable[[News], None], Callable[[], bool]], Solved]


class ThreadRun:
    """A solve in a thread."""

    def __init__(self, future: Future[Solved], stop: threading.Event) -> None:
        self.future = future
        self._stop = stop

    def cancel(self) -> None:
        """Ask it to stop."""
        self._stop.set()


class ThreadBackend:
    """Solves in threads of this process, by a function that a test may replace."""

    def __init__(self, workers: int = 2) -> None:
        self.executor: Executor = ThreadPoolExecutor(workers)
        self.workers = workers
        self.solve: Solve = solve_work
        self.solved: list[Work] = []
        self.alive = True

    def submit(
        self, work: Work, listener: Callable[[News], None], *, hard_limit: float
    ) -> ThreadRun:
        """Begin to solve."""
        stop = threading.Event()

        def run() -> Solved:
            self.solved.append(work)
            return self.solve(work, listener, stop.is_set)

        return ThreadRun(self.executor.submit(run), stop)

    def is_alive(self) -> bool:
        """Say what the test wants."""
        return self.alive

    def close(self, *, wait: float) -> None:
        """End."""
        self.executor.shutdown(wait=False, cancel_futures=True)


class Gate:
    """A solve that reports a first schedule, and goes on when the test opens the gate."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        self.reached = threading.Event()

    def __call__(
        self, work: Work, report: Callable[[News], None], stop: Callable[[], bool]
    ) -> Solved:
        """Solve, with a pause."""
        first = solve_work(work, lambda news: None, lambda: False)
        report(
            News(
                text="a first schedule",
                method="greedy",
                cost=first.cost + 1,
                lower_bound=first.lower_bound,
                gap=0.5,
                document=first.document,
            )
        )
        self.reached.set()
        while not (self.opened.is_set() or stop()):
            time.sleep(0.01)
        if stop():
            return _stopped(first)
        return first


def _stopped(solved: Solved) -> Solved:
    from dataclasses import replace

    return replace(solved, stopped_by="stopped")


def wait_until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        with contextlib.suppress(InterruptedError):
            time.sleep(0.01)
