"""Tests of ``nobubble bound``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nobubble.profile.canonical import profile_sha256
from nobubble.profile.reading import read_profile
from tests.cli.running import Run


def test_the_bounds_of_a_profile(profile_path: Path, run: Run) -> None:
    """Tests that the best of the bounds is named, in the profile's unit."""
    outcome = run("bound", profile_path)
    assert outcome.code == 0
    assert outcome.err == ""
    result = json.loads(outcome.out)
    assert result["profile"] == "small"
    assert result["profile_sha256"] == profile_sha256(read_profile(profile_path))
    assert result["objective"] == "makespan"
    assert result["time_unit"] == "ms"
    assert result["lower_bound"] == max(result["bounds"].values())
    assert result["bounds"][result["bound"]] == result["lower_bound"]
    # The busiest rank alone works 4 * (3 + 3 + 2) ms.
    assert result["bounds"]["busy"] >= 32


@pytest.mark.parametrize("objective", ["makespan", "rank_span"])
def test_solve_reports_the_same_bound(objective: str, profile_path: Path, run: Run) -> None:
    """Tests that the two commands agree where no exact solver proves more."""
    bound = json.loads(run("bound", profile_path, "--objective", objective).out)
    solved = json.loads(
        run("solve", profile_path, "--objective", objective, "--effort", "fast").out
    )
    assert (bound["lower_bound"], bound["bound"]) == (solved["lower_bound"], solved["bound"])
    assert bound["profile_sha256"] == solved["profile_sha256"]


def test_overrides(profile_path: Path, run: Run) -> None:
    """Tests that more microbatches cannot be bounded by less."""
    few, many = (
        json.loads(run("bound", profile_path, "--microbatches", m).out)["lower_bound"]
        for m in ("4", "8")
    )
    assert few < many


def test_a_profile_from_stdin_without_a_name(profile_path: Path, run: Run) -> None:
    """Tests that - is stdin, and that a profile needs no name."""
    profile = json.loads(profile_path.read_text())
    del profile["name"]
    outcome = run("bound", "-", stdin=json.dumps(profile))
    assert outcome.code == 0
    assert json.loads(outcome.out)["profile"] is None
