"""Messages to the user, on stderr: stdout carries only results."""

from __future__ import annotations

import sys


def say(line: str) -> None:
    """Print a line on stderr, if there is one (print would take stdout instead)."""
    if sys.stderr is not None:
        print(line, file=sys.stderr, flush=True)
