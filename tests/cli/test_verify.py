"""Tests of ``nobubble verify``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Edit
from tests.cli.running import Run


def test_a_valid_schedule(schedule_path: Path, run: Run) -> None:
    """Tests the verdict on what solve wrote."""
    outcome = run("verify", schedule_path)
    assert (outcome.code, outcome.err) == (0, "")
    document = json.loads(schedule_path.read_text())
    assert json.loads(outcome.out) == {
        "valid": True,
        "findings": [],
        "profile": "small",
        "profile_sha256": document["profile_sha256"],
        "method": document["method"],
        "status": document["status"],
        "objective": "makespan",
        "requires": [],
        "time_unit": "ms",
        "cost": document["cost"],
        "lower_bound": document["lower_bound"],
        "bound": document["bound"],
    }


def test_a_schedule_that_is_not_so(edit: Edit, run: Run) -> None:
    """Tests that a false cost is found, told on both streams, and gives no figure."""
    path = edit(lambda document: document.update(cost=1, lower_bound=1))
    outcome = run("verify", path)
    verdict = json.loads(outcome.out)
    assert outcome.code == 5
    assert verdict["valid"] is False
    assert verdict["cost"] is None
    assert verdict["lower_bound"] is None
    assert any("cost" in finding for finding in verdict["findings"])
    assert outcome.err == "".join(f"error: {finding}\n" for finding in verdict["findings"])


def test_a_schedule_of_the_profile_at_hand(
    schedule_path: Path, profile_path: Path, run: Run
) -> None:
    """Tests that the profile that was solved is accepted."""
    assert run("verify", schedule_path, "--profile", profile_path).code == 0


def test_a_schedule_of_another_profile(schedule_path: Path, profile_path: Path, run: Run) -> None:
    """Tests that a schedule of an older measurement is found out."""
    profile = json.loads(profile_path.read_text())
    profile["communication"] = 0.5
    profile_path.write_text(json.dumps(profile))
    outcome = run("verify", schedule_path, "--profile", profile_path)
    assert outcome.code == 5
    assert json.loads(outcome.out)["valid"] is False


def test_a_schedule_from_stdin(schedule_path: Path, run: Run) -> None:
    """Tests that - is stdin."""
    piped = run("verify", "-", stdin=schedule_path.read_text())
    assert piped == run("verify", schedule_path)


def test_a_file_that_is_no_schedule(profile_path: Path, run: Run) -> None:
    """Tests that a profile in the place of a schedule is bad input, not a failed check."""
    outcome = run("verify", profile_path)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"error: {profile_path}: ")
