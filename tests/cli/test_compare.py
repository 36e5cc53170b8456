"""Tests of ``nobubble compare``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import Run
from tests.partition.models import model_of, op


@pytest.fixture
def model_path(tmp_path: Path) -> Path:
    """Give the file of a model of ten layers on two ranks."""
    path = tmp_path / "model.json"
    layers = op(1, 0, 2), op(5, 5, 4, count=8), op(6, 6, 6)
    path.write_text(json.dumps(model_of(*layers, ranks=2, memory_limit=60)))
    return path


def test_prints_json_and_writes_the_best_schedule(model_path: Path, run: Run) -> None:
    """Tests that the recommended schedule is written, and is that of the first row."""
    best = model_path.with_name("best.json")
    outcome = run("compare", model_path, "--effort", "fast", "-o", best)
    assert outcome.code == 0, outcome.err
    report = json.loads(outcome.out)
    assert report["schema"] == "nobubble.comparison/1"
    assert report["layers"] == 10
    row, schedule = report["rows"][report["recommended"]], json.loads(best.read_text())
    assert schedule["cost"] == row["cost"]
    assert schedule["profile"]["partition"] == row["partition"]
    assert run("verify", best).code == 0
    assert f"written to {best}" in outcome.err


def test_prints_a_table(model_path: Path, run: Run) -> None:
    """Tests that people get a line for every schedule, the partitions, and the advice."""
    outcome = run("compare", model_path, "--effort", "fast", "--format", "table")
    lines = outcome.out.splitlines()
    assert lines[0].split()[:3] == ["family", "method", "found"]
    assert "layers of every stage, 10 in all" in lines
    assert "left out" in lines
    assert lines[-1].startswith("Take ")


def test_a_limit_leaves_out_what_holds_more(model_path: Path, run: Run) -> None:
    """Tests that --memory-limit stands in for the profile's, and says what it excludes."""
    outcome = run("compare", model_path, "--effort", "fast", "--memory-limit", "25")
    report = json.loads(outcome.out)
    excluded = {(one["family"], one["method"]) for one in report["left_out"]}
    assert ("linear", "gpipe") in excluded
    assert all(max(row["peak_memory"]) <= 25 for row in report["rows"])


def test_nothing_fits_is_infeasible(model_path: Path, run: Run) -> None:
    """Tests that a limit that no family meets ends with exit code 3."""
    outcome = run("compare", model_path, "--memory-limit", "1")
    assert outcome.code == 3
    assert "nothing fits" in outcome.err


def test_sweeps_memory(model_path: Path, run: Run) -> None:
    """Tests that the frontier is printed and drawn."""
    picture = model_path.with_name("frontier.svg")
    outcome = run("compare", model_path, "--effort", "fast", "--sweep-memory", "-o", picture)
    assert outcome.code == 0, outcome.err
    report = json.loads(outcome.out)
    assert report["schema"] == "nobubble.frontier/1"
    costs = [point["cost"] for point in report["best"]]
    assert costs == sorted(costs, reverse=True)
    assert picture.read_text().startswith("<svg")
    table = run("compare", model_path, "--effort", "fast", "--sweep-memory", "--format", "table")
    assert table.out.splitlines()[0].split() == [
        *("family", "found", "by", "limit", "GB", "makespan", "ms"),
    ]


def test_a_sweep_needs_memory(tmp_path: Path, run: Run) -> None:
    """Tests that a profile without memory figures is told what is missing."""
    path = tmp_path / "model.json"
    path.write_text(json.dumps(model_of(op(1, 1, 1, count=4, held=0), ranks=2)))
    outcome = run("compare", path, "--sweep-memory")
    assert outcome.code == 2
    assert "no op of this profile holds memory" in outcome.err


def test_the_same_bytes_every_time(model_path: Path, run: Run) -> None:
    """Tests that comparing again gives the same figures and the same schedule."""
    first, second = (
        run("compare", model_path, "--effort", "fast", "-o", model_path.with_name(name))
        for name in ("one.json", "two.json")
    )
    assert first.out == second.out
    one, two = (model_path.with_name(name).read_bytes() for name in ("one.json", "two.json"))
    assert one == two


def test_layers_are_solved_as_stages(model_path: Path, run: Run) -> None:
    """Tests that solve takes layers too, and says which layers came into which stage."""
    out = model_path.with_name("schedule.json")
    outcome = run("solve", model_path, "--placement", "v", "-o", out)
    assert outcome.code == 0, outcome.err
    assert "note: 10 layers given, 10 layers used:" in outcome.err
    assert sum(json.loads(out.read_text())["profile"]["partition"]) == 10
