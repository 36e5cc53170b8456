"""Tests of ``nobubble diff``."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from nobubble.runs.reading import actions_sha256
from nobubble.schedule.reading import read_schedule
from tests.cli.running import Run


@pytest.fixture
def run_path(schedule_path: Path) -> Path:
    """Give the file of a run in which every op took a fifth longer, after the plan's start."""
    schedule = read_schedule(schedule_path)
    ranks: list[dict[str, Any]] = []
    for rank in schedule["ranks"]:
        actions = []
        for action in rank["actions"]:
            entry: dict[str, Any] = dict(action.items())
            for key in ("start", "end"):
                if key in entry:
                    entry[key] = float(Decimal(entry[key]) * Decimal("1.2"))
            entry.setdefault("start", 0)
            actions.append(entry)
        ranks.append({"rank": rank["rank"], "start": 0, "end": 100, "actions": actions})
    path = schedule_path.with_name("run.json")
    path.write_text(
        json.dumps(
            {
                "schema": "nobubble.run/1",
                "generator": {"name": "test", "version": "1"},
                "schedule": {"actions_sha256": actions_sha256(schedule), "profile_sha256": None},
                "time_unit": "ms",
                "microbatches": 4,
                "placement": [0, 1, 2],
                "clock": {"shared": True, "uncertainty": 0},
                "steps": [{"step": 1, "start": 0, "ranks": ranks}],
            }
        )
    )
    return path


def test_the_parts_add_up(schedule_path: Path, run_path: Path, run: Run) -> None:
    """Tests that for every rank the parts are the difference of its ends."""
    outcome = run("diff", schedule_path, run_path)
    assert outcome.code == 0, outcome.err
    report = json.loads(outcome.out, parse_float=Decimal)
    assert report["schema"] == "nobubble.diff/1"
    for rank in report["ranks"]:
        more = rank["more"]
        parts = sum(more["ops"].values()) + more["waits"] + more["late"] + more["own"]
        assert parts == more["total"] == rank["measured_end"] - rank["planned_end"]
    assert report["makespan"]["more"] == report["critical_chain"]["more"]["total"]


def test_a_table_a_picture_and_a_profile(schedule_path: Path, run_path: Path, run: Run) -> None:
    """Tests what people get: rows for the ranks, an SVG, and a profile that can be solved."""
    picture, measured = (run_path.with_name(name) for name in ("run.svg", "measured.json"))
    outcome = run(
        *("diff", schedule_path, run_path, "--format", "table"),
        *("-o", picture, "--profile-out", measured),
    )
    assert outcome.code == 0, outcome.err
    assert "how much later each rank ended than planned, in ms, and why" in outcome.out
    assert "what made the iteration longer" in outcome.out
    root = ElementTree.fromstring(picture.read_text())
    assert root.tag.endswith("svg")
    again = run("solve", measured, "-o", run_path.with_name("again.json"))
    assert again.code == 0, again.err
    first = json.loads(measured.read_text(), parse_float=Decimal)["stages"][0]["F"]["time"]
    assert first == Decimal("2.4")


def test_a_run_of_another_schedule(schedule_path: Path, run_path: Path, run: Run) -> None:
    """Tests that a run is not compared with a schedule that did not run."""
    other = run_path.with_name("other.json")
    profile = run_path.with_name("small.json")
    assert run("solve", profile, "--method", "1f1b", "-o", other).code == 0
    outcome = run("diff", other, run_path)
    assert outcome.code == 2
    assert "another schedule ran" in outcome.err


def test_a_step_that_was_not_recorded(schedule_path: Path, run_path: Path, run: Run) -> None:
    """Tests that --step names what there is."""
    outcome = run("diff", schedule_path, run_path, "--step", "4")
    assert outcome.code == 2
    assert "has no step 4; the recorded ones are 1" in outcome.err


def test_stdin_once_only(run: Run) -> None:
    """Tests that both from stdin is refused."""
    outcome = run("diff", "-", "-", stdin="{}")
    assert outcome.code == 2
    assert "stdin can be given once only" in outcome.err
