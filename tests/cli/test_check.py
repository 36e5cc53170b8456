"""Tests that `check` finds what is wrong with committed schedules, and `--update` mends it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nobubble_api.examples import LIMITED, PROFILE
from tests.cli.running import Run


@pytest.fixture
def folders(tmp_path: Path, run: Run) -> tuple[Path, Path]:
    """Give two profiles with their schedules."""
    profiles, schedules = tmp_path / "profiles", tmp_path / "schedules"
    profiles.mkdir()
    (profiles / "one.json").write_text(json.dumps(PROFILE))
    (profiles / "two.json").write_text(json.dumps(LIMITED))
    done = run("check", "--update", profiles, schedules, "--method", "greedy", "--effort", "fast")
    assert done.code == 0, done.err
    return profiles, schedules


def test_schedules_that_are_right_pass(folders: tuple[Path, Path], run: Run) -> None:
    """Tests a second look, which changes nothing."""
    before = {path: path.read_bytes() for path in folders[1].iterdir()}
    assert {path.name for path in before} == {"one.schedule.json", "two.schedule.json"}
    done = run("check", *folders)
    assert (done.code, done.err) == (0, "")
    assert "2 schedules are valid" in done.out
    assert run("check", *folders, "--update").code == 0
    assert {path: path.read_bytes() for path in folders[1].iterdir()} == before


def test_options_of_a_schedule_stay_its_own(folders: tuple[Path, Path], run: Run) -> None:
    """Tests that an update solves with what the schedule was made with."""
    path = folders[0] / "one.json"
    path.write_text(json.dumps({**PROFILE, "communication": 2}))
    assert run("check", *folders, "--update").code == 0
    document = json.loads((folders[1] / "one.schedule.json").read_text())
    assert document["generator"]["options"]["method"] == "greedy"


@pytest.mark.parametrize("fault", ["missing", "stale", "valid", "no schedule", "costs", "orphan"])
def test_every_fault_is_one_line_and_can_be_mended(
    folders: tuple[Path, Path], run: Run, fault: str
) -> None:
    """Tests each fault by itself: exit code 5, what to do, and that doing it helps."""
    profiles, schedules = folders
    path = schedules / "one.schedule.json"
    if fault == "missing":
        path.unlink()
    elif fault == "stale":
        (profiles / "one.json").write_text(json.dumps({**PROFILE, "microbatches": 9}))
    elif fault == "valid":
        document = json.loads(path.read_text())
        path.write_text(json.dumps({**document, "cost": document["cost"] + 1}))
    elif fault == "no schedule":
        path.write_text("{")
    elif fault == "costs":
        document = json.loads(run("solve", profiles / "one.json", "--method", "zb-h1").out)
        document["generator"]["options"]["method"] = "auto"
        path.write_text(json.dumps(document))
    else:
        (schedules / "three.schedule.json").write_text(path.read_text())
    done = run("check", *folders)
    assert done.code == 5
    first, last = done.err.splitlines()
    assert fault.replace("orphan", "no profile for it") in first
    assert "nobubble check --update" in last
    assert done.out == ""
    mended = run("check", *folders, "--update")
    if fault == "orphan":
        assert mended.code == 5
    else:
        assert mended.code == 0
        assert "written anew" in mended.err
        assert run("check", *folders).code == 0


def test_an_infeasible_profile_is_a_fault(folders: tuple[Path, Path], run: Run) -> None:
    """Tests that an update leaves what is there, and tells why."""
    (folders[0] / "two.json").write_text(json.dumps({**LIMITED, "memory_limit": 1}))
    before = (folders[1] / "two.schedule.json").read_text()
    done = run("check", *folders, "--update")
    assert done.code == 5
    assert "rank 0 binds" in done.err
    assert (folders[1] / "two.schedule.json").read_text() == before


def test_folders_that_are_none_are_told(tmp_path: Path, run: Run) -> None:
    """Tests both arguments, and an empty folder."""
    done = run("check", tmp_path / "none", tmp_path)
    assert (done.code, "PROFILES" in done.err) == (2, True)
    (tmp_path / "empty").mkdir()
    done = run("check", tmp_path / "empty", tmp_path)
    assert (done.code, "has no profile" in done.err) == (2, True)
    done = run("check", tmp_path / "empty", tmp_path / "none")
    assert (done.code, "--update makes it" in done.err) == (2, True)
