"""Tests of the client against a service that `nobubble serve` runs."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.api.serving import Server, server, wait_for
from tests.cli.running import COMMAND, Run, environment

__all__ = ["server"]


def test_the_same_bytes_as_locally(profile_path: Path, server: Server, run: Run) -> None:
    """Tests a solve, one with options, and one that has been stored by then."""
    options = ("--memory-limit", "30", "--seed", "2", "--objective", "rank_span")
    ignoring = ("--ignore-memory-limit", "--method", "zb-h2")
    each = ("--memory-limit", "40,35.5,30", "--effort", "fast", "--microbatches", "5")
    for arguments in ((), options, ignoring, each, options):
        local = run("solve", profile_path, *arguments)
        assert local.code == 0, local.err
        assert run("solve", profile_path, *arguments, "--server", server.url) == local


@pytest.mark.parametrize(
    "options",
    [
        ["--memory-limit", "60,9,60"],
        ["--method", "gpipe", "--memory-limit", "30"],
        ["--method", "interleaved-1f1b"],
    ],
)
def test_the_same_errors_as_locally(
    options: list[str], profile_path: Path, server: Server, run: Run
) -> None:
    """Tests that codes and messages are those of a local solve."""
    local = run("solve", profile_path, *options)
    assert local.code in (2, 3, 4)
    assert run("solve", profile_path, *options, "--server", server.url) == local


def test_a_job_from_submission_to_its_schedule(
    profile_path: Path, server: Server, run: Run
) -> None:
    """Tests all of `jobs` on a job that ends."""
    at: dict[str, Any] = {"NOBUBBLE_SERVER": server.url}
    submitted = run("jobs", "submit", profile_path, "--seed", "5", "--tag", "real", **at)
    assert submitted.code == 0, submitted.err
    job_id = json.loads(submitted.out)["id"]
    output = profile_path.with_name("watched.json")
    watched = run("jobs", "watch", job_id, "-o", output, **at)
    assert watched.code == 0, watched.err
    assert output.read_text() == run("solve", profile_path, "--seed", "5").out
    assert json.loads(run("jobs", "show", job_id, **at).out)["state"] == "done"
    listed = json.loads(run("jobs", "list", "--tag", "real", **at).out)["jobs"]
    assert [job["id"] for job in listed] == [job_id]
    assert json.loads(run("jobs", "cancel", job_id, **at).out)["state"] == "done"


def test_ctrl_c_leaves_the_job_running(tmp_path: Path, server: Server, run: Run) -> None:
    """Tests a terminal: progress on a line, an interrupt, and the way back."""
    profile = tmp_path / "long.json"
    profile.write_text(json.dumps(server.profile("zb-v-p16-m48")))
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*COMMAND, "solve", str(profile), "--effort", "max", "--server", server.url],
        env=environment(TERM="xterm"),
        stdout=subprocess.PIPE,
        stderr=theirs,
    )
    os.close(theirs)
    seen = b""
    while b"bound" not in seen:
        piece = os.read(ours, 4096)
        assert piece
        seen += piece
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    with contextlib.suppress(OSError):  # the other side is closed
        while piece := os.read(ours, 4096):
            seen += piece
    os.close(ours)
    assert process.returncode == 130, seen.decode()
    lines = seen.decode().replace("\r\n", "\n").rpartition("\x1b[K")[2].splitlines()
    assert lines[0].startswith("interrupted; job ")
    job_id = lines[0].split()[2]
    assert server.job(job_id)["state"] == "running"
    back, end = (line.partition(": ")[2].split()[1:] for line in lines[1:])
    assert back == ["jobs", "watch", job_id, "--server", server.url]
    assert run(*end).code == 0
    output = tmp_path / "best.json"
    watched = run(*back, "-o", output)
    assert watched.code == 0, watched.err
    assert watched.err.startswith("note: the job was cancelled")
    assert json.loads(output.read_text())["stopped_by"] == "stopped"
    wait_for(lambda: server.job(job_id)["state"] == "cancelled")
