"""Tests that every option can be set in the environment."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import Run


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        ("NOBUBBLE_SOLVE_METHOD", "best", "--method"),
        ("NOBUBBLE_SOLVE_TIME_LIMIT", "-1", "--time-limit"),
        ("NOBUBBLE_SOLVE_OBJECTIVE", "span", "--objective"),
        ("NOBUBBLE_SOLVE_MICROBATCHES", "x", "--microbatches"),
        ("NOBUBBLE_SOLVE_MEMORY_LIMIT", "3GB", "--memory-limit"),
        ("NOBUBBLE_SOLVE_PLACEMENT", "w", "--placement"),
        ("NOBUBBLE_SOLVE_IGNORE_MEMORY_LIMIT", "perhaps", "--ignore-memory-limit"),
        ("NOBUBBLE_SOLVE_OUTPUT", "/no/such/folder/x.json", "/no/such/folder"),
    ],
)
def test_a_wrong_value_in_the_environment_is_told_as_on_the_command_line(
    variable: str, value: str, message: str, profile_path: Path, run: Run
) -> None:
    """Tests that every twin of solve is read."""
    outcome = run("solve", profile_path, **{variable: value})
    assert outcome.code == 2
    assert message in outcome.err


def test_the_environment_sets_options(profile_path: Path, run: Run) -> None:
    """Tests the twins of solve on the schedule that comes out."""
    output = profile_path.with_name("x.json")
    outcome = run(
        "solve",
        profile_path,
        NOBUBBLE_SOLVE_METHOD="zb-h1",
        NOBUBBLE_SOLVE_OBJECTIVE="rank_span",
        NOBUBBLE_SOLVE_MICROBATCHES="5",
        NOBUBBLE_SOLVE_MEMORY_LIMIT="none",
        NOBUBBLE_SOLVE_OUTPUT=str(output),
    )
    assert outcome.code == 0, outcome.err
    document = json.loads(output.read_text())
    assert document["method"] == "zb-h1"
    assert document["objective"] == "rank_span"
    assert document["profile"]["microbatches"] == 5
    assert document["profile"]["memory_limit"] in (None, [None] * 3)


def test_the_command_line_comes_first(profile_path: Path, run: Run) -> None:
    """Tests that an option that is given wins over its twin."""
    outcome = run(
        "bound", profile_path, "--objective", "makespan", NOBUBBLE_BOUND_OBJECTIVE="rank_span"
    )
    assert json.loads(outcome.out)["objective"] == "makespan"


def test_an_empty_variable_is_no_value(profile_path: Path, run: Run) -> None:
    """Tests that a variable can be unset by making it empty."""
    assert run("bound", profile_path, NOBUBBLE_BOUND_MICROBATCHES="").code == 0


def test_other_commands_have_their_own(schedule_path: Path, run: Run) -> None:
    """Tests twins of show, render, verify and replay."""
    wide = run("show", schedule_path, NOBUBBLE_SHOW_WIDTH="150", NOBUBBLE_SHOW_COLOR="always")
    assert wide.out == run("show", schedule_path, "--width", "150", "--color", "always").out
    page = run("render", schedule_path, NOBUBBLE_RENDER_OUTPUT="-", NOBUBBLE_RENDER_FORMAT="html")
    assert page.out.lower().startswith("<!doctype html>")
    missing = run("verify", schedule_path, NOBUBBLE_VERIFY_PROFILE="/no/such/profile.json")
    assert (missing.code, missing.out) == (2, "")
    slow = run("replay", schedule_path, NOBUBBLE_REPLAY_SLOW_RANK="0:5% 2:1%")
    assert slow == run("replay", schedule_path, "--slow-rank", "0:5%", "--slow-rank", "2:1%")
