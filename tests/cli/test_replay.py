"""Tests of ``nobubble replay``."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Edit
from tests.cli.running import COMMAND, Run, environment


def test_the_figures_of_a_replay(schedule_path: Path, run: Run) -> None:
    """Tests what is printed on stdout, in the profile's unit and beside the plan."""
    outcome = run("replay", schedule_path, "--noise", "5%", "--samples", "200")
    assert outcome.code == 0, outcome.err
    result = json.loads(outcome.out)
    replayed = result.pop("replays")
    assert result == {
        "noise": 0.05,
        "rank_noise": 0.0,
        "slow_ranks": [],
        "samples": 200,
        "seed": 0,
    }
    (figures,) = replayed
    document = json.loads(schedule_path.read_text())
    assert figures["schedule"] == str(schedule_path)
    assert figures["plan"] == document["cost"]
    for key in ("profile_sha256", "method", "objective", "requires"):
        assert figures[key] == document[key]
    assert list(figures["cost"]) == ["mean", "sd", "min", "p5", "p50", "p95", "p99", "max"]
    increase = figures["increase"]
    assert increase["mean"] == pytest.approx(
        figures["cost"]["mean"] / figures["plan"] - 1, abs=1e-6
    )
    assert increase["p95"] == pytest.approx(figures["cost"]["p95"] / figures["plan"] - 1)
    assert increase["mean"] == pytest.approx(increase["work"] + increase["order"], abs=1e-9)
    critical = figures["critical"]
    assert len(critical["ranks"]) == 3
    assert sum(critical["kinds"].values()) == pytest.approx(1)


def test_no_noise_is_the_plan(schedule_path: Path, run: Run) -> None:
    """Tests that every figure is the plan's when nothing differs from it."""
    (figures,) = json.loads(run("replay", schedule_path, "--noise", "0").out)["replays"]
    cost = figures["cost"]
    assert cost.pop("sd") == 0
    assert set(cost.values()) == {figures["plan"]}
    assert set(figures["increase"].values()) == {0.0}


def test_a_straggler(schedule_path: Path, run: Run) -> None:
    """Tests that a slow rank is recorded, and decides the cost."""
    outcome = run("replay", schedule_path, "--noise", "0", "--slow-rank", "2:400%")
    result = json.loads(outcome.out)
    assert result["slow_ranks"] == [{"rank": 2, "slowdown": 4.0}]
    (figures,) = result["replays"]
    # Rank 2 alone works 4 * (2 + 2 + 1) * 5 ms.
    assert figures["cost"]["min"] > 100
    assert figures["critical"]["ranks"][2] > 0.8
    assert "critical    rank 2, " in outcome.err


def test_a_percentage_is_a_part(schedule_path: Path, run: Run) -> None:
    """Tests that 2.5% and 0.025 are the same."""
    assert run("replay", schedule_path, "--noise", "2.5%") == run(
        "replay", schedule_path, "--noise", "0.025"
    )


def test_the_same_seed_gives_the_same_bytes(schedule_path: Path, run: Run) -> None:
    """Tests that a replay can be repeated, and that another seed is another one."""
    first, again, other = (
        run("replay", schedule_path, "--samples", "50", "--seed", seed) for seed in "112"
    )
    assert first == again
    assert first.out != other.out


def test_schedules_side_by_side(schedule_path: Path, profile_path: Path, run: Run) -> None:
    """Tests that several schedules are replayed at once, and have a column each."""
    other = profile_path.with_name("gpipe.json")
    assert run("solve", profile_path, "--method", "gpipe", "-o", other).code == 0
    outcome = run("replay", schedule_path, other)
    first, second = json.loads(outcome.out)["replays"]
    assert (first["schedule"], second["schedule"]) == (str(schedule_path), str(other))
    assert first["cost"]["mean"] < second["cost"]["mean"]
    head, methods, *_ = (line.split() for line in outcome.err.splitlines())
    assert head == ["schedule", str(schedule_path), str(other)]
    assert methods == ["method", first["method"], "gpipe"]
    alone = json.loads(run("replay", other).out)["replays"]
    assert alone == [second]


def test_a_schedule_from_stdin(schedule_path: Path, run: Run) -> None:
    """Tests that - is stdin."""
    piped = json.loads(run("replay", "-", stdin=schedule_path.read_text()).out)["replays"]
    named = json.loads(run("replay", schedule_path).out)["replays"]
    assert piped == [{**named[0], "schedule": "-"}]


def test_a_schedule_that_is_not_so(edit: Edit, run: Run) -> None:
    """Tests that a false schedule is not replayed, and that its findings are told."""
    path = edit(lambda document: document.update(cost=1))
    outcome = run("replay", path)
    assert (outcome.code, outcome.out) == (5, "")
    lines = outcome.err.splitlines()
    assert lines
    assert all(line.startswith(f"error: {path}: ") for line in lines)
    assert "cost" in outcome.err


def test_a_slow_rank_that_does_not_exist(schedule_path: Path, run: Run) -> None:
    """Tests that the message says which ranks the schedule has."""
    outcome = run("replay", schedule_path, "--slow-rank", "3:5%")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        f"error: {schedule_path}: slow rank 3: the schedule has no such rank; they are 0 to 2\n"
    )


def test_a_profile_is_no_schedule(profile_path: Path, run: Run) -> None:
    """Tests that a profile in the place of a schedule is bad input."""
    outcome = run("replay", profile_path)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"error: {profile_path}: ")


def test_figures_are_aligned_and_a_histogram_is_for_terminals(
    schedule_path: Path, run: Run
) -> None:
    """Tests that only a terminal sees bars, which account for every sample."""
    plain = run("replay", schedule_path)
    assert "#" not in plain.err
    assert len({line[:12].ljust(12)[11] for line in plain.err.splitlines()}) == 1
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "replay", str(schedule_path)],
        env=environment(TERM="xterm"),
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 4096)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        seen += piece
    os.close(ours)
    assert process.wait() == 0
    lines = seen.decode().rpartition("\x1b[K")[2].replace("\r\n", "\n").splitlines()
    figures = plain.err.splitlines()
    assert lines[: len(figures)] == figures
    title, *bars = lines[len(figures) :]
    assert title == str(schedule_path)
    assert len(bars) == 12
    assert max(bar.count("#") for bar in bars) == 50
