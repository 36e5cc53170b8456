"""What a solver watches while it works: the clock, who wants it to stop, and who wants to hear."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from nobubble.solvers.answer import Answer

_POLL: Final = 0.05
"""Seconds between two looks at the watch on behalf of a solver that cannot look itself."""


class Watch:
    """The wall clock as the last guard, a request to stop, and progress reports.

    Parameters
    ----------
    time_limit : float, optional
        Seconds from now after which a solver stops with what it has.
    progress : callable, optional
        Takes a line of text, and the best answer so far where there is one.
    stop : callable, optional
        Says whether to stop. Asked often, from any thread.

    Attributes
    ----------
    cut_short : bool
        Whether a solver has seen that it was over, by the clock or by request.
    was_stopped : bool
        Whether it was asked to stop.
    """

    def __init__(
        self,
        time_limit: float | None = None,
        progress: Callable[[str, Answer | None], None] | None = None,
        stop: Callable[[], bool] | None = None,
    ) -> None:
        self._end = None if time_limit is None else time.monotonic() + time_limit
        self._progress = progress
        self._stop = stop
        self.cut_short = False
        self.was_stopped = False

    def stop(self) -> None:
        """Ask the solver to stop with what it has: from any thread, also before it starts."""
        self.was_stopped = True

    def is_over(self) -> bool:
        """Say whether to stop, and remember that it was so."""
        if self._stop is not None and not self.was_stopped and self._stop():
            self.stop()
        if self.was_stopped or (self._end is not None and time.monotonic() >= self._end):
            self.cut_short = True
        return self.cut_short

    def seconds_left(self) -> float | None:
        """Give the seconds until the time limit, None without one."""
        return None if self._end is None else max(0.0, self._end - time.monotonic())

    def report(self, text: str, best: Answer | None = None) -> None:
        """Tell whoever listens what is happening, and the best answer so far."""
        if self._progress is not None:
            self._progress(text, best)

    def within(self, about: str) -> Watch:
        """Give a watch for a part of the work, which is over when this one is.

        What it reports is told as text, after `about`: its answers are not those of the whole.
        """
        return Watch(
            self.seconds_left(), lambda text, _: self.report(f"{about}: {text}"), self.is_over
        )

    @contextmanager
    def cancelling(self, cancel: Callable[[], object]) -> Iterator[None]:
        """Call `cancel` once it is over, again and again until the block is left.

        Again and again, since solvers forget a request that comes before they have begun.
        """
        left = threading.Event()

        def poll() -> None:
            while not left.wait(_POLL):
                if self.is_over():
                    cancel()

        thread = threading.Thread(target=poll, name="nobubble-watch", daemon=True)
        thread.start()
        try:
            yield
        finally:
            left.set()
            thread.join()
