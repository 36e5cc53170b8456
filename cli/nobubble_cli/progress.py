"""What a solver is doing, on one line that is rewritten."""

from __future__ import annotations

import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

COMPILING = "compiling the kernels for this machine, once: up to half a minute ..."
PATIENCE = 1.5  # seconds; kernels that are compiled already load in less


class Progress:
    """Progress on stderr where it is a terminal; silence elsewhere.

    A solver calls it with what it is doing; when it ends, the line is cleared.

    Attributes
    ----------
    about : str
        What every line begins with, such as the file that is being worked on.
    """

    def __init__(self) -> None:
        self._is_terminal = sys.stderr is not None and sys.stderr.isatty()
        self._is_clear = True
        self.about = ""

    def __enter__(self) -> Progress:
        return self

    def __call__(self, doing: object) -> None:
        """Show what is being done: a line of text, or what prints as one."""
        if self._is_terminal:
            width = shutil.get_terminal_size().columns - 1
            line = f"{self.about}{doing}" if doing else ""
            print(f"\r\x1b[K{line[:width]}", end="", file=sys.stderr, flush=True)
            self._is_clear = not line

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if not self._is_clear:
            self("")

    @contextmanager
    def loading_kernels(self) -> Iterator[None]:
        """Say that kernels are being compiled, should loading them take long."""
        timer = threading.Timer(PATIENCE, self, [COMPILING])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
            timer.join()
