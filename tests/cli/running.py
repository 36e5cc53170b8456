"""Running nobubble, in this process or in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class Outcome:
    """How a run ended, and what it printed."""

    code: int
    out: str
    err: str


class Run(Protocol):
    """Runs nobubble with these arguments; keywords are environment variables."""

    def __call__(
        self, *arguments: str | Path, stdin: str | None = None, **environment: str
    ) -> Outcome: ...


COMMAND = [sys.executable, "-m", "nobubble_cli"]


def environment(**changes: str) -> dict[str, str]:
    """Give this process's environment for a process that imports what this one does."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **changes}


def run_process(*arguments: str | Path, stdin: str | None = None, **changes: str) -> Outcome:
    """Run nobubble in a process of its own."""
    done = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        input=stdin,
        env=environment(**changes),
        capture_output=True,
        text=True,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)
