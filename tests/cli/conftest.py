"""What the tests of the command line share."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from nobubble_cli.main import app
from tests.cli.running import Outcome, Run

Edit = Callable[[Callable[[dict[str, Any]], object]], Path]


@pytest.fixture
def run() -> Run:
    """Give a function that runs nobubble in this process."""

    def run(*arguments: str | Path, stdin: str | None = None, **environment: str) -> Outcome:
        result = CliRunner().invoke(
            app,
            [str(argument) for argument in arguments],
            prog_name="nobubble",
            input=stdin,
            env=environment,
            catch_exceptions=False,
        )
        return Outcome(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def profile_path(tmp_path: Path, small: dict[str, Any]) -> Path:
    """Give the file of the small profile."""
    path = tmp_path / "small.json"
    path.write_text(json.dumps(small))
    return path


@pytest.fixture
def schedule_path(profile_path: Path, run: Run) -> Path:
    """Give the file of the schedule that solve finds for the small profile."""
    path = profile_path.with_name("small.schedule.json")
    outcome = run("solve", profile_path, "-o", path)
    assert outcome.code == 0, outcome.err
    return path


@pytest.fixture
def edit(schedule_path: Path) -> Edit:
    """Give a function that changes the schedule in its file, and gives the file."""

    def edit(change: Callable[[dict[str, Any]], object]) -> Path:
        document = json.loads(schedule_path.read_text())
        change(document)
        schedule_path.write_text(json.dumps(document))
        return schedule_path

    return edit


@pytest.fixture
def small() -> dict[str, Any]:
    """Give a small profile: 3 unequal stages on 3 ranks, 4 microbatches."""
    return {
        "schema": "nobubble.profile/1",
        "name": "small",
        "time_unit": "ms",
        "memory_unit": "MiB",
        "ranks": 3,
        "microbatches": 4,
        "stages": [
            {
                "F": {"time": 2, "memory": 10},
                "B": {"time": 2.5, "memory": -6},
                "W": {"time": 1.5, "memory": -4},
            },
            {
                "F": {"time": 3, "memory": 10},
                "B": {"time": 3, "memory": -6},
                "W": {"time": 2, "memory": -4},
            },
            {
                "F": {"time": 2, "memory": 12},
                "B": {"time": 2, "memory": -8},
                "W": {"time": 1, "memory": -4},
            },
        ],
        "communication": 0.25,
        "memory_limit": 60,
    }
