"""Tests of ``nobubble check --server``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nobubble_cli.commands import check as command
from tests.cli.client.fake import FakeService, problem, schedule
from tests.cli.running import Run


@pytest.fixture
def profiles(profile_path: Path, solved: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder with a profile; nothing is solved here any more."""
    folder = profile_path.with_name("profiles")
    folder.mkdir()
    profile_path.rename(folder / "small.json")

    def refuse(*_: object) -> None:
        raise AssertionError("solved here")

    monkeypatch.setattr(command, "solve_here", refuse)
    return folder


def test_the_service_solves(profiles: Path, service: FakeService, solved: str, run: Run) -> None:
    """Tests that what it gives is written, and checked as any other."""
    service.on("POST /v1/solve", schedule(solved))
    arguments = ("check", profiles, profiles, "--server", service.url)
    updated = run(*arguments, "--update", "--seed", "0")
    assert updated.code == 0, updated.err
    assert (profiles / "small.schedule.json").read_text() == solved
    assert service.requests[0].json()["options"]["seed"] == 0
    assert run(*arguments).code == 0


def test_a_service_that_cannot_be_asked_ends_it(
    profiles: Path, service: FakeService, run: Run
) -> None:
    """Tests that no schedule is blamed, and nothing is written."""
    service.on("POST /v1/solve", problem("internal", 500, "this is a bug"))
    outcome = run("check", profiles, profiles, "--server", service.url, "--update")
    assert (outcome.code, outcome.out) == (4, "")
    assert outcome.err == f"error: {service.url}: this is a bug\n"
    assert [path.name for path in profiles.iterdir()] == ["small.json"]


def test_a_schedule_that_is_not_right_is_not_written(
    profiles: Path, service: FakeService, solved: str, run: Run
) -> None:
    """Tests that the network is not trusted here either."""
    other = json.loads(solved)
    other["profile"]["name"] = "other"
    service.on("POST /v1/solve", schedule(json.dumps(other)))
    outcome = run("check", profiles, profiles, "--server", service.url, "--update")
    assert outcome.code == 5
    assert "of another profile than was sent" in outcome.err
    assert [path.name for path in profiles.iterdir()] == ["small.json"]
