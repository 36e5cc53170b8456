"""Tests that progress is shown on a terminal, on one line, and nowhere else."""

from __future__ import annotations

import importlib
import io
import sys
import time
from pathlib import Path

import pytest

from nobubble.compiled.loading import load_kernels
from nobubble_cli import progress
from nobubble_cli.progress import COMPILING, Progress


class Terminal(io.StringIO):
    """What is printed to a terminal."""

    def isatty(self) -> bool:
        """Say that this is one."""
        return True


def wait_for(text: str, stream: io.StringIO) -> None:
    """Wait until text has been printed."""
    deadline = time.monotonic() + 30
    while text not in stream.getvalue() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert text in stream.getvalue()


def stderr_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Make stderr a terminal, and give it (a fixture would lose it to pytest's own capture)."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    return stream


def test_a_line_is_rewritten_and_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that nothing of the progress remains."""
    terminal = stderr_terminal(monkeypatch)
    with Progress() as show:
        show("greedy 1 of 36")
        show("greedy 2 of 36")
    clear = "\r\x1b[K"
    assert terminal.getvalue() == f"{clear}greedy 1 of 36{clear}greedy 2 of 36{clear}"


def test_a_long_line_is_cut_to_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that a line cannot wrap, which could not be rewritten."""
    terminal = stderr_terminal(monkeypatch)
    monkeypatch.setenv("COLUMNS", "20")
    with Progress() as show:
        show("x" * 50)
    assert "x" * 19 in terminal.getvalue()
    assert "x" * 20 not in terminal.getvalue()


def test_nothing_is_shown_where_stderr_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that logs stay clean."""
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "PATIENCE", 0)
    with Progress() as show:
        with show.loading_kernels():
            time.sleep(0.05)
        show("greedy")
    assert stream.getvalue() == ""


def test_nothing_fails_without_stderr(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that a closed stderr is no error."""
    monkeypatch.setattr(sys, "stderr", None)
    with Progress() as show:
        show("greedy")


def test_compilation_is_told_when_kernels_take_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that the first run on a machine says what takes so long, and clears it."""
    terminal = stderr_terminal(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0.01)
    with Progress() as show, show.loading_kernels():
        wait_for(COMPILING, terminal)
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_compilation_is_not_told_when_kernels_load_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that nothing remains of the announcement that was prepared."""
    terminal = stderr_terminal(monkeypatch)
    monkeypatch.setattr(progress, "PATIENCE", 0.05)
    with Progress() as show:
        with show.loading_kernels():
            pass
        time.sleep(0.2)
    assert terminal.getvalue() == ""


def test_the_line_is_cleared_when_the_solver_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that an error message stands on a line of its own."""
    terminal = stderr_terminal(monkeypatch)
    with pytest.raises(RuntimeError), Progress() as show:
        show("searching")
        raise RuntimeError
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_all_kernels_are_loaded() -> None:
    """Tests that nothing is left for the solver to compile unannounced; it replays nothing."""
    load_kernels()
    folder = Path(importlib.import_module("nobubble.compiled").__path__[0])
    for file in folder.glob("*.py"):
        assert (
            file.stem in ("__init__", "replaying")
            or f"nobubble.compiled.{file.stem}" in sys.modules
        )
