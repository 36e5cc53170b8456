"""Tests of ``nobubble solve``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nobubble import solve as solving
from nobubble.errors import (
    InfeasibleError,
    MethodError,
    NobubbleError,
    NoScheduleError,
    VerificationError,
)
from tests.cli.running import Run


def test_the_schedule_goes_to_stdout_and_nothing_else_is_said(profile_path: Path, run: Run) -> None:
    """Tests that stdout can be piped, and that stderr is empty where it is no terminal."""
    outcome = run("solve", profile_path)
    assert outcome.code == 0
    assert outcome.err == ""
    document = json.loads(outcome.out)
    assert document["schema"] == "nobubble.schedule/1"
    assert document["profile"]["name"] == "small"


def test_a_file_holds_the_same_bytes_as_stdout(profile_path: Path, run: Run) -> None:
    """Tests that nothing depends on where the schedule goes, nor on when."""
    path = profile_path.with_name("schedule.json")
    to_file, to_stdout = run("solve", profile_path, "-o", path), run("solve", profile_path)
    assert to_file.code == to_stdout.code == 0
    assert to_file.out == ""
    assert path.read_text() == to_stdout.out


def test_the_figures_are_printed_when_a_file_is_written(profile_path: Path, run: Run) -> None:
    """Tests that the summary agrees with the document."""
    path = profile_path.with_name("schedule.json")
    outcome = run("solve", profile_path, "-o", path)
    document = json.loads(path.read_text())
    rows = dict(line.split("  ", 1) for line in outcome.err.splitlines())
    assert rows["cost"].strip() == f"{document['cost']} ms (makespan)"
    assert rows["lower bound"].strip() == f"{document['lower_bound']} ms ({document['bound']})"
    assert rows["written to"].strip() == str(path)


def test_a_profile_comes_from_stdin(profile_path: Path, run: Run) -> None:
    """Tests that - is stdin."""
    piped = run("solve", "-", stdin=profile_path.read_text())
    assert piped.code == 0
    assert piped.out == run("solve", profile_path).out


def test_overrides_reach_the_schedule(profile_path: Path, run: Run) -> None:
    """Tests that the document carries the profile as solved."""
    outcome = run("solve", profile_path, "--microbatches", "3", "--objective", "rank_span")
    document = json.loads(outcome.out)
    assert document["profile"]["microbatches"] == 3
    assert document["objective"] == "rank_span"
    assert document["requires"] == ["post_validation"]


class Fake:
    """Stands in for the solver: notes what it is asked, and raises what it is told to."""

    def __init__(self, error: BaseException) -> None:
        self.error = error
        self.asked: dict[str, Any] = {}

    def __call__(self, profile: object, **asked: Any) -> None:
        """Raise the error."""
        self.asked = asked
        raise self.error


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> Fake:
    """Make the solver raise an error."""
    fake = Fake(error)
    monkeypatch.setattr(solving, "solve", fake)
    return fake


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (MethodError("zb-v is not made for this placement"), 2),
        (InfeasibleError("rank 1 needs 70 MiB", rank=1, limit=60, needed=70), 3),
        (NoScheduleError("nothing was found within 1 s"), 4),
        (VerificationError(["rank 0: F(0, 1) starts late", "rank 2: too much memory"]), 5),
    ],
)
def test_every_error_has_its_exit_code(
    error: NobubbleError, code: int, profile_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """Tests that the message is all that is printed, every line of it as an error."""
    failing(monkeypatch, error)
    output = profile_path.with_name("schedule.json")
    outcome = run("solve", profile_path, "-o", output)
    assert outcome.code == code
    assert outcome.out == ""
    assert outcome.err == "".join(f"error: {line}\n" for line in str(error).splitlines())
    assert not output.exists()


def test_an_interrupt_is_quiet(
    profile_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """Tests that Ctrl+C leaves no traceback and no file."""
    failing(monkeypatch, KeyboardInterrupt())
    output = profile_path.with_name("schedule.json")
    outcome = run("solve", profile_path, "-o", output)
    assert (outcome.code, outcome.out, outcome.err) == (130, "", "interrupted\n")
    assert not output.exists()


def test_a_bug_keeps_its_traceback(
    profile_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """Tests that an error that no user can cause is not dressed up."""
    failing(monkeypatch, ZeroDivisionError("a bug"))
    with pytest.raises(ZeroDivisionError, match="a bug"):
        run("solve", profile_path)


def test_options_reach_the_solver(
    profile_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """Tests that all that concerns the solver is passed on."""
    fake = failing(monkeypatch, NoScheduleError("none"))
    run(
        *("solve", profile_path, "--method", "zb-h2", "--effort", "max", "--seed", "3"),
        *("--time-limit", "2.5", "--ignore-memory-limit"),
    )
    progress = fake.asked.pop("progress")
    assert callable(progress)
    assert fake.asked == {
        "method": "zb-h2",
        "effort": "max",
        "seed": 3,
        "time_limit": 2.5,
        "ignore_memory_limit": True,
    }


def test_the_defaults_are_these(
    profile_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """Tests what an option that is not given means."""
    fake = failing(monkeypatch, NoScheduleError("none"))
    run("solve", profile_path)
    del fake.asked["progress"]
    assert fake.asked == {
        "method": "auto",
        "effort": "normal",
        "seed": 0,
        "time_limit": None,
        "ignore_memory_limit": False,
    }


def test_the_output_is_checked_before_the_work(
    profile_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """Tests that a wrong path costs no solving."""
    failing(monkeypatch, AssertionError("solved for nothing"))
    outcome = run("solve", profile_path, "-o", profile_path.parent)
    assert outcome.code == 2
    assert outcome.err == (
        f"error: cannot write {profile_path.parent}: it is a directory; "
        "give the path of a file in it\n"
    )


@pytest.mark.parametrize("command", ["solve", "bound"])
def test_an_infeasible_profile(command: str, profile_path: Path, run: Run) -> None:
    """Tests that a limit under what one microbatch needs is told with the rank that binds."""
    outcome = run(command, profile_path, "--memory-limit", "60,9,60")
    assert outcome.code == 3
    assert outcome.out == ""
    assert "rank 1" in outcome.err


def test_a_named_schedule_over_the_limit(profile_path: Path, run: Run) -> None:
    """Tests that gpipe is refused with rank and amount, and accepted where the user insists."""
    refused = run("solve", profile_path, "--method", "gpipe", "--memory-limit", "30")
    assert refused.code == 3
    assert "rank" in refused.err
    accepted = run(
        *("solve", profile_path, "--method", "gpipe", "--memory-limit", "30"),
        "--ignore-memory-limit",
    )
    assert accepted.code == 0, accepted.err


def test_an_unknown_effort_is_named(profile_path: Path, run: Run) -> None:
    """Tests that the efforts that exist are listed."""
    outcome = run("solve", profile_path, "--effort", "most")
    assert outcome.code == 2
    assert "fast, normal, max" in outcome.err.replace("\n", " ")
