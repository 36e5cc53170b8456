"""Tests that the command line gets from a service what it would make itself."""

from __future__ import annotations

import hashlib
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nobubble.errors import VerificationError
from nobubble.profile.reading import parse_profile
from nobubble.schedule.writing import json_text
from nobubble.solve import solve
from nobubble_api.examples import LIMITED
from nobubble_cli.remote.problems import ServerError
from nobubble_cli.remote.solving import checked
from tests.api.serving import ROOT, Server, server, wait_for
from tests.cli.running import environment, run_process

__all__ = ["server"]


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    """Give a file with a profile."""
    path = tmp_path / "profile.json"
    path.write_text(json.dumps(LIMITED))
    return path


def test_a_service_gives_the_same_bytes(server: Server, profile: Path) -> None:
    """Tests defaults, and options and overrides in every way that they can be given."""
    cases = [
        [],
        ["--method", "greedy", "--objective", "rank_span", "--microbatches", "5", "--seed", "3"],
        ["--memory-limit", "7,6.5,6,5", "--effort", "fast"],
        ["--ignore-memory-limit", "--method", "zb-h2"],
    ]
    for arguments in cases:
        here = run_process("solve", profile, *arguments)
        there = run_process("solve", profile, *arguments, NOBUBBLE_SERVER=server.url)
        assert there.err == ""
        assert there.out == here.out
        assert there.code == here.code == 0


def test_a_file_is_written_and_summed_up(server: Server, profile: Path, tmp_path: Path) -> None:
    """Tests -o."""
    output = tmp_path / "schedule.json"
    done = run_process("solve", profile, "--server", server.url, "-o", output)
    assert done.code == 0
    assert "lower bound" in done.err
    assert run_process("verify", output, "--profile", profile).code == 0


def test_errors_are_those_of_a_solve_here(server: Server, profile: Path) -> None:
    """Tests that message and exit code are the same, wherever it is solved."""
    for arguments in (["--memory-limit", "1"], ["--method", "interleaved-1f1b"]):
        here = run_process("solve", profile, *arguments)
        there = run_process("solve", profile, *arguments, "--server", server.url)
        assert there.code == here.code > 0
        assert here.err.removeprefix("error: ").strip() in there.err
        assert there.out == ""


@pytest.mark.parametrize(
    ("url", "code", "words"),
    [
        ("http://127.0.0.1:9", 4, "cannot be asked"),
        ("http://no-such-host.invalid", 4, "cannot be asked"),
        ("127.0.0.1:8000", 2, "give http://host:port"),
    ],
)
def test_a_service_that_is_not_there_is_told(
    profile: Path, url: str, code: int, words: str
) -> None:
    """Tests refused connections, unknown hosts and what is no address."""
    done = run_process("solve", profile, "--server", url)
    assert done.code == code
    assert words in done.err
    assert "Traceback" not in done.err


def test_jobs_are_submitted_watched_and_listed(
    server: Server, profile: Path, tmp_path: Path
) -> None:
    """Tests the life of a job by the command line alone."""
    common = {"NOBUBBLE_SERVER": server.url}
    tags = ["--tag", "client", "--name", "first"]
    submitted = json.loads(run_process("jobs", "submit", profile, *tags, **common).out)
    output = tmp_path / "schedule.json"
    watched = run_process("jobs", "watch", submitted["id"], "-o", output, **common)
    assert watched.code == 0, watched.err
    assert output.read_text() == run_process("solve", profile).out
    shown = json.loads(run_process("jobs", "show", submitted["id"], **common).out)
    assert (shown["state"], shown["name"]) == ("done", "first")
    listed = json.loads(run_process("jobs", "list", "--tag", "client", **common).out)
    assert [job["id"] for job in listed["jobs"]] == [submitted["id"]]
    assert run_process("jobs", "show", "0" * 32, **common).code == 2


def test_an_interrupt_leaves_the_job_running(server: Server) -> None:
    """Tests Ctrl+C on watch: it says how to come back, and the job goes on."""
    path = ROOT / "profiles/zb-v-p16-m48.json"
    long = ["--method", "search", "--effort", "max", "--seed", "77"]
    done = run_process("jobs", "submit", path, *long, NOBUBBLE_SERVER=server.url)
    job = json.loads(done.out)["id"]
    command = [sys.executable, "-m", "nobubble_cli", "jobs", "watch", job, "--server", server.url]
    watching = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment())
    wait_for(lambda: server.job(job)["state"] == "running")
    time.sleep(2)
    watching.send_signal(signal.SIGINT)
    _, err = watching.communicate(timeout=20)
    assert watching.returncode == 130
    assert f"nobubble jobs watch {job} --server {server.url}" in err
    assert server.job(job)["state"] == "running"
    run_process("jobs", "cancel", job, NOBUBBLE_SERVER=server.url)
    wait_for(lambda: server.job(job)["state"] == "cancelled")


def test_progress_of_the_service_shows_on_a_terminal(server: Server, profile: Path) -> None:
    """Tests that a terminal sees what happens, and that the line is gone in the end."""
    command = [sys.executable, "-m", "nobubble_cli", "solve", str(profile)]
    lead, follow = pty.openpty()
    subprocess.run(
        [*command, "--server", server.url, "--seed", "5"],
        stdout=subprocess.DEVNULL,
        stderr=follow,
        env=environment(),
        check=True,
    )
    os.close(follow)
    seen = os.read(lead, 10_000).decode()
    os.close(lead)
    assert "asking the server" in seen
    assert seen.endswith("\r\x1b[K")


def test_what_a_service_sends_is_not_taken_on_trust() -> None:
    """Tests a changed byte, a schedule of another profile, and what is none."""
    read = parse_profile(LIMITED)
    content = json_text(solve(read)).encode()
    tag = hashlib.sha256(content).hexdigest()
    assert checked(content, f'"{tag}"', read, {}).encode() == content
    with pytest.raises(ServerError, match="its hash is another"):
        checked(content + b" ", tag, read, {})
    with pytest.raises(VerificationError, match="the server gave a schedule that is wrong"):
        checked(content, tag, parse_profile({**LIMITED, "communication": 2}), {})
    with pytest.raises(ServerError, match="is no schedule"):
        checked(b"{}", hashlib.sha256(b"{}").hexdigest(), read, {})
