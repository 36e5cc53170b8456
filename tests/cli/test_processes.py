"""Tests of the program as a shell sees it: pipes, signals, exit codes."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import COMMAND, environment, run_process


def shell(script: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a script in which "$@" is nobubble and $1 and so on the arguments that follow."""
    preamble = 'nobubble() { "$PYTHON" -m nobubble_cli "$@"; }\n'
    return subprocess.run(
        ["bash", "-c", preamble + script, "bash", *map(str, arguments)],
        env=environment(PYTHON=sys.executable),
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_profile_is_solved_verified_and_drawn_through_pipes(profile_path: Path) -> None:
    """Tests the whole way, from a profile on stdin to a verdict, with nothing else on stdout."""
    done = shell("set -o pipefail; nobubble solve - < $1 | nobubble verify -", profile_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["valid"] is True


def test_a_reader_that_has_seen_enough(schedule_path: Path) -> None:
    """Tests that a closed pipe ends a command quietly, as SIGPIPE would."""
    done = shell(
        "nobubble render $1 -o - --format html | true; echo ${PIPESTATUS[0]}", schedule_path
    )
    assert (done.stdout, done.stderr) == ("141\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_stdout(profile_path: Path) -> None:
    """Tests that a result that did not arrive is an error."""
    done = shell("nobubble solve $1 > /dev/full", profile_path)
    assert done.returncode == 2
    assert done.stderr == "error: cannot write stdout: No space left on device\n"


def test_a_closed_stdout(profile_path: Path) -> None:
    """Tests that there must be a stdout to write to."""
    done = shell("nobubble bound $1 >&-", profile_path)
    assert (done.returncode, done.stderr) == (2, "error: cannot write to stdout: it is closed\n")


@pytest.mark.parametrize("command", ["solve", "bound", "verify", "show", "replay"])
def test_a_closed_stdin(command: str) -> None:
    """Tests that there must be a stdin to read from."""
    done = shell(f"nobubble {command} - <&-")
    assert done.returncode == 2
    assert done.stderr.endswith(": cannot read stdin: it is closed\n")


def test_a_closed_stderr(profile_path: Path) -> None:
    """Tests that messages never land on stdout."""
    done = shell("nobubble solve $1 --memory-limit 1 2>&-", profile_path)
    assert (done.returncode, done.stdout) == (3, "")


@pytest.mark.parametrize("encoding", ["C", "POSIX"])
def test_json_is_utf_8_in_every_locale(encoding: str, profile_path: Path) -> None:
    """Tests that a name with an umlaut comes out as it went in."""
    profile = json.loads(profile_path.read_text())
    profile["name"] = "größer"
    profile_path.write_text(json.dumps(profile))
    done = subprocess.run(
        [*COMMAND, "bound", str(profile_path)],
        env=environment(LC_ALL=encoding, PYTHONUTF8="0", PYTHONIOENCODING="ascii"),
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout.decode("utf-8"))["profile"] == "größer"


def test_ctrl_c(tmp_path: Path) -> None:
    """Tests that an interrupt while a profile is read ends with 130 and no traceback."""
    fifo = tmp_path / "profile"
    os.mkfifo(fifo)
    process = subprocess.Popen(
        [*COMMAND, "bound", str(fifo)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with fifo.open("w"):  # returns once the process has opened it too
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, out, err) == (130, "", "interrupted\n")


def test_the_first_line_on_a_terminal_is_progress(profile_path: Path) -> None:
    """Tests that a terminal sees progress come and go, and then the figures."""
    ours, theirs = pty.openpty()
    output = profile_path.with_name("schedule.json")
    process = subprocess.Popen(
        [*COMMAND, "solve", str(profile_path), "-o", str(output)],
        env=environment(TERM="xterm"),
        stdout=subprocess.PIPE,
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
    process.communicate()
    os.close(ours)
    assert process.returncode == 0
    progress, _, figures = seen.decode().rpartition("\r\x1b[K")
    assert progress
    assert figures.startswith("method ")


def test_python_m_is_the_same_program() -> None:
    """Tests the name in usage messages."""
    assert "Usage: nobubble solve" in run_process("solve").err
