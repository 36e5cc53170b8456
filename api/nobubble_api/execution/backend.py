"""What the service needs of a place where solves run."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Protocol

from nobubble.errors import NobubbleError
from nobubble_api.work import News, Solved, Work


class VersionError(NobubbleError):
    """The place where solves run has another version of nobubble: its answers may differ."""


class WorkerLostError(Exception):
    """The worker died before it had an answer: the solve may be tried again."""


class OverdueError(WorkerLostError):
    """The solve did not end in time, and its worker was killed: trying again would do no better."""


class Run(Protocol):
    """A solve under way.

    Attributes
    ----------
    future : Future
        Gives what was solved, or raises the `NobubbleError` of the solve or `WorkerLostError`.
    """

    @property
    def future(self) -> Future[Solved]:
        """The outcome."""

    def cancel(self) -> None:
        """Ask it to stop: the future gives the best so far, or raises `NoScheduleError`.

        One that does not stop within the grace and the time of its write-up is killed:
        `WorkerLostError`.
        """


class Backend(Protocol):
    """Where solves run."""

    @property
    def executor(self) -> Executor:
        """Runs any function, by the interface of the standard library."""

    @property
    def workers(self) -> int:
        """How many solves run at once."""

    def submit(self, work: Work, listener: Callable[[News], None], *, hard_limit: float) -> Run:
        """Begin to solve.

        Parameters
        ----------
        work : Work
        listener : callable
            Called with news, in some thread of this process; what it raises is dropped.
        hard_limit : float
            Seconds from its beginning after which, a grace and the time of the write-up
            (`Work.write_up_time`), the worker is killed.
        """

    def is_alive(self) -> bool:
        """Say whether a worker can take work."""

    def close(self, *, wait: float) -> None:
        """Take no more work, and kill what still runs after so many seconds."""
