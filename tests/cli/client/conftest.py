"""What the tests of the client share."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from nobubble_cli.client import connection
from tests.cli.client.fake import FakeService
from tests.cli.running import Run


class Clock:
    """A clock that sleeping moves on, and nothing else."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        """Give the time."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Make waiting take no time."""
    clock = Clock()
    monkeypatch.setattr(connection, "time", clock)
    return clock


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeService]:
    """Give a service that answers what the test tells it to."""
    for scheme in ("http", "https", "all"):
        monkeypatch.delenv(f"{scheme}_proxy", raising=False)
        monkeypatch.delenv(f"{scheme.upper()}_PROXY", raising=False)
    started = FakeService()
    yield started
    started.close()


@pytest.fixture
def solved(profile_path: Path, run: Run) -> str:
    """Give the schedule that a local solve of the small profile writes."""
    outcome = run("solve", profile_path)
    assert outcome.code == 0, outcome.err
    assert json.loads(outcome.out)["stopped_by"] == "proof"
    return outcome.out
