"""How a command ends: what the user is told, and the exit code."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import typer
from typer.core import TyperGroup

from nobubble.errors import NobubbleError
from nobubble_cli.messages import say

INTERRUPTED = 130  # 128 + SIGINT, as a shell reports it
BROKEN_PIPE = 141  # 128 + SIGPIPE


class Commands(TyperGroup):
    """The commands; an error that a user can cause ends in a message and its exit code.

    Any other exception is a bug, and keeps its traceback.
    """

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except NobubbleError as error:
            for line in str(error).splitlines():
                say(f"error: {line}")
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt as interrupt:
            # Python's own says nothing; one that leaves something running says what.
            for line in (str(interrupt) or "interrupted").splitlines():
                say(line)
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # What is still in stdout's buffer would fail once more when Python exits.
            with Path(os.devnull).open("wb") as nowhere:
                os.dup2(nowhere.fileno(), sys.stdout.fileno())
            raise typer.Exit(BROKEN_PIPE) from None
