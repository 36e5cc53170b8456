"""Tests of ``nobubble show``."""

from __future__ import annotations

from pathlib import Path

import pytest

from nobubble_cli.commands import show as show_command
from tests.cli.running import Run, run_process

ESCAPE = "\x1b["


def test_every_rank_has_its_row(schedule_path: Path, run: Run) -> None:
    """Tests that a drawing comes out, without colours where stdout is no terminal."""
    outcome = run("show", schedule_path, "--width", "80")
    assert (outcome.code, outcome.err) == (0, "")
    assert ESCAPE not in outcome.out
    assert max(len(line) for line in outcome.out.splitlines()) <= 80
    assert outcome.out.endswith("\n")


def test_the_width_is_the_terminals(schedule_path: Path, run: Run) -> None:
    """Tests that the drawing fills the terminal unless a width is given."""
    assert (
        run("show", schedule_path, COLUMNS="150").out
        == run("show", schedule_path, "--width", "150").out
        != run("show", schedule_path, "--width", "100", COLUMNS="150").out
    )


def test_detail_draws_more(schedule_path: Path, run: Run) -> None:
    """Tests that --detail reaches the drawing."""
    assert run("show", schedule_path, "--detail").out != run("show", schedule_path).out


@pytest.mark.parametrize(
    ("option", "terminal", "environment", "coloured"),
    [
        ("always", False, {}, True),
        ("always", True, {"NO_COLOR": "1"}, True),
        ("never", True, {}, False),
        ("auto", False, {}, False),
        ("auto", True, {}, True),
        ("auto", True, {"NO_COLOR": "1"}, False),
        ("auto", True, {"TERM": "dumb"}, False),
    ],
)
def test_colours(
    option: str,
    terminal: bool,
    environment: dict[str, str],
    coloured: bool,
    schedule_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    run: Run,
) -> None:
    """Tests that colours are used where they are wanted and can be seen."""
    monkeypatch.setattr(show_command, "_is_terminal", lambda: terminal)
    environment = {"NO_COLOR": "", "TERM": "xterm", **environment}
    outcome = run("show", schedule_path, "--color", option, **environment)
    assert (ESCAPE in outcome.out) is coloured


def test_a_terminal_that_lacks_the_characters(schedule_path: Path) -> None:
    """Tests that an old encoding gets a drawing in letters, with nothing that it cannot show."""
    outcome = run_process("show", schedule_path, PYTHONIOENCODING="ascii")
    assert outcome.code == 0
    assert outcome.out.isascii()
    assert "?" not in outcome.out


def test_a_schedule_from_stdin(schedule_path: Path, run: Run) -> None:
    """Tests that - is stdin."""
    assert run("show", "-", stdin=schedule_path.read_text()) == run("show", schedule_path)
