"""What a solver is doing, on one line that is rewritten."""

from __future__ import annotations

import shutil
import sys
import threading
from types import TracebackType

COMPILING = "compiling the kernels for this machine, once: about 15 s ..."
PATIENCE = 1.5  # seconds; with compiled kernels on disk, solvers load in less


class Progress:
    """Progress on stderr where it is a terminal; silence elsewhere.

    A solver calls it with what it is doing. When nothing has come for `PATIENCE` seconds, the
    kernels are being compiled, which happens once on a machine, and the user is told so.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._heard = False
        self._shown = False
        self._timer = threading.Timer(PATIENCE, self._say_compiling)
        self._timer.daemon = True

    def __enter__(self) -> Progress:
        if sys.stderr is not None and sys.stderr.isatty():
            self._timer.start()
        else:
            self._heard = True
        return self

    def __call__(self, doing: str) -> None:
        """Show what is being done."""
        with self._lock:
            self._heard = True
            if sys.stderr is not None and sys.stderr.isatty():
                self._rewrite(doing)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        with self._lock:
            self._heard = True
            if self._shown:
                self._rewrite("")

    def _say_compiling(self) -> None:
        with self._lock:
            if not self._heard:
                self._rewrite(COMPILING)

    def _rewrite(self, text: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        print(f"\r\x1b[K{text[:width]}", end="", file=sys.stderr, flush=True)
        self._shown = True
