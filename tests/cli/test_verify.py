"""Tests of ``nobubble verify``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

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
        "proven": {
            "lower_bound": document["lower_bound"],
            "bound": document["bound"],
            "optimal": document["status"] == "optimal",
            "as_claimed": True,
        },
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


@pytest.mark.parametrize(
    "options",
    [
        ["--microbatches", "3"],
        ["--objective", "rank_span"],
        ["--memory-limit", "28.5"],
        ["--memory-limit", "40,none,28.5"],
        ["--microbatches", "3", "--memory-limit", "none"],
        ["--placement", "2,1,0"],
    ],
)
def test_a_schedule_solved_with_options(
    profile_path: Path, tmp_path: Path, run: Run, options: list[str]
) -> None:
    """Tests that it is one of the profile with the same options, which a message names."""
    path = tmp_path / "with.json"
    solved = run("solve", profile_path, "-o", path, "--method", "greedy", *options)
    assert solved.code == 0, solved.err
    without = run("verify", path, "--profile", profile_path)
    assert without.code == 5
    note, error = without.err.splitlines()
    assert error.startswith("error: the schedule was made for another profile than the one given")
    named = note.removeprefix("note: with ").removesuffix(" the profile given is the schedule's")
    assert run("verify", path, "--profile", profile_path, *named.split()).code == 0
    assert run("verify", path, "--profile", profile_path, *options).code == 0


def test_a_schedule_solved_without_limits(profile_path: Path, tmp_path: Path, run: Run) -> None:
    """Tests that --ignore-memory-limit is given to verify as it was to solve."""
    path = tmp_path / "with.json"
    run("solve", profile_path, "-o", path, "--method", "greedy", "--ignore-memory-limit")
    assert run("verify", path, "--profile", profile_path).err.startswith(
        "note: with --ignore-memory-limit the profile given is the schedule's\n"
    )
    assert run("verify", path, "--profile", profile_path, "--ignore-memory-limit").code == 0


def test_options_without_a_profile(schedule_path: Path, run: Run) -> None:
    """Tests that options in place of keys of no profile are refused."""
    outcome = run("verify", schedule_path, "--microbatches", "3")
    assert outcome.code == 2
    assert "options in place of keys of a profile need one" in outcome.err


def forged(bound: str) -> Callable[[dict[str, Any]], object]:
    """Give a change that claims a schedule's cost to be the least there can be."""
    return lambda document: document.update(
        lower_bound=document["cost"], bound=bound, gap=0, status="optimal", stopped_by="proof"
    )


@pytest.fixture
def open_path(profile_path: Path, run: Run) -> Path:
    """Give the file of a schedule that is far from the bound."""
    path = profile_path.with_name("small.schedule.json")
    assert run("solve", profile_path, "-o", path, "--method", "1f1b").code == 0
    return path


def test_a_forged_closed_form(open_path: Path, run: Run) -> None:
    """Tests that a bound above what its argument gives is found."""
    document = json.loads(open_path.read_text())
    right = document["lower_bound"]
    assert right < document["cost"]
    forged(document["bound"])(document)
    open_path.write_text(json.dumps(document))
    outcome = run("verify", open_path)
    assert outcome.code == 5
    assert outcome.err == (
        f"error: lower_bound is given as {document['cost']} ms, by {document['bound']}; that "
        f"argument gives {right} ms\n"
    )


@pytest.mark.parametrize("name", ["cpsat", "an oracle"])
def test_a_bound_on_trust(open_path: Path, run: Run, name: str) -> None:
    """Tests that a bound which verify cannot prove is believed, and told, unless strict."""
    document = json.loads(open_path.read_text())
    proven = document["lower_bound"], document["bound"]
    forged(name)(document)
    open_path.write_text(json.dumps(document))
    outcome = run("verify", open_path)
    assert outcome.code == 0
    assert json.loads(outcome.out)["proven"] == {
        "lower_bound": proven[0], "bound": proven[1], "optimal": False, "as_claimed": False,
    }  # fmt: skip
    text = (
        f"the lower bound of {document['cost']} ms is said to be proven by {name}; verify itself "
        f"proves {proven[0]} ms ({proven[1]})\n"
    )
    assert outcome.err == f"note: {text}"
    strictly = run("verify", open_path, "--strict")
    assert (strictly.code, strictly.err) == (5, f"error: {text}")


def test_strict_takes_what_is_proven(schedule_path: Path, run: Run) -> None:
    """Tests that --strict accepts a bound in closed form."""
    assert run("verify", schedule_path, "--strict").code == 0
