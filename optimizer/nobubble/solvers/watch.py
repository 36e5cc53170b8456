"""What a solver watches while it works: the clock, and who wants to hear of it."""

from __future__ import annotations

import time
from collections.abc import Callable


class Watch:
    """The wall clock as the last guard, and progress reports.

    Parameters
    ----------
    time_limit : float, optional
        Seconds from now after which a solver stops with what it has.
    progress : callable, optional
        Takes a line of text.
    """

    def __init__(
        self, time_limit: float | None = None, progress: Callable[[str], None] | None = None
    ) -> None:
        self._end = None if time_limit is None else time.monotonic() + time_limit
        self._progress = progress
        self.cut_short = False

    def is_over(self) -> bool:
        """Say whether the time is up, and remember that it was."""
        if self._end is not None and time.monotonic() >= self._end:
            self.cut_short = True
        return self.cut_short

    def report(self, text: str) -> None:
        """Tell whoever listens what is happening."""
        if self._progress is not None:
            self._progress(text)
