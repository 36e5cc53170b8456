"""Tests that wrong usage is told in a message that says what is right, with exit code 2."""

from __future__ import annotations

from pathlib import Path

import pytest

from nobubble.methods import METHODS
from tests.cli.running import Run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("solv p", "No such command 'solv'"),
        ("solve", "Missing argument 'PROFILE'"),
        ("solve p q", "Got unexpected extra argument(s) (q)"),
        ("solve p --objctive x", "No such option: --objctive (Possible options: --objective)"),
        ("solve p --method best", f"'--method': 'best' is none of {', '.join(METHODS)}"),
        ("solve p --method 1F1B", "'--method': '1F1B' is none of"),
        ("solve p --time-limit 0", "'--time-limit': 0.0 is not a number of seconds above 0"),
        ("solve p --time-limit -1", "'--time-limit': -1.0 is not a number of seconds above 0"),
        ("solve p --time-limit nan", "'--time-limit': nan is not a number of seconds above 0"),
        ("solve p --time-limit inf", "'--time-limit': inf is not a number of seconds above 0"),
        ("solve p --time-limit 1m", "'--time-limit': "),
        ("solve p --objective span", "'--objective': 'span' is none of makespan, rank_span"),
        ("solve p --microbatches many", "'--microbatches': "),
        ("solve p --microbatches 1.5", "'--microbatches': "),
        ("solve p --memory-limit 3GB", "'--memory-limit': '3GB' is not a number; give one in the"),
        ("solve p --memory-limit nan", "'--memory-limit': 'nan' is not a number"),
        ("solve p --memory-limit 1,,2", "'--memory-limit': '' is not a number"),
        ("solve p --memory-limit 1_0", "'--memory-limit': '1_0' is not a number"),
        ("solve p --memory-limit 1e99999", "'--memory-limit': '1e99999' is not a number"),
        ("solve p --placement w", "'--placement': 'w' is not a placement; give linear, inter"),
        ("solve p --placement 0,1,-1", "'--placement': '0,1,-1' is not a placement"),
        ("solve p --placement 0,1,", "'--placement': '0,1,' is not a placement"),
        ("bound p --objective span", "'--objective': 'span' is none of makespan, rank_span"),
        ("verify - --profile -", "'--profile': the schedule comes from stdin already"),
        ("show s --color blue", "'--color': 'blue' is none of auto, always, never"),
        ("show s --width 3", "'--width': "),
        ("render s", "Missing option '-o'"),
        ("render s -o s.png", "'-o': 's.png' does not end in .svg, .html or .json"),
        ("render s -o -", "'--format': needed with -o -: one of svg, html, trace"),
        ("render s -o s.svg --format png", "'--format': 'png' is none of svg, html, trace"),
        ("replay", "Missing argument 'SCHEDULE'"),
        ("replay - -", "'SCHEDULE': stdin can be given once only"),
        ("replay s --noise x", "'--noise': 'x' is neither a percentage such as 5% nor a part such"),
        ("replay s --noise -5%", "'--noise': '-5%' is neither a percentage"),
        ("replay s --noise 5%%", "'--noise': '5%%' is neither a percentage"),
        ("replay s --noise nan", "'--noise': 'nan' is neither a percentage"),
        ("replay s --noise 26%", "'--noise': 26% is more than 25%, the most that it may be"),
        ("replay s --noise 5", "'--noise': 5 is more than 25%, the most that it may be; a percent"),
        ("replay s --rank-noise 0.3", "'--rank-noise': 0.3 is more than 25%"),
        ("replay s --slow-rank 10%", "'--slow-rank': '10%' is not a rank and by how much it is"),
        ("replay s --slow-rank 3:", "'--slow-rank': '' is neither a percentage"),
        ("replay s --slow-rank -1:5%", "'--slow-rank': '-1:5%' is not a rank and by how much"),
        ("replay s --slow-rank 0:1001%", "'--slow-rank': 1001% is more than 1000%"),
        ("replay s --slow-rank 0:1% --slow-rank 0:2%", "'--slow-rank': rank 0 is given twice"),
        ("replay s --samples 0", "'--samples': "),
        ("replay s --samples 1.5", "'--samples': "),
        ("replay s --seed -1", "'--seed': "),
    ],
)
def test_wrong_usage(arguments: str, message: str, run: Run) -> None:
    """Tests that the message names the option, what was given and what is right."""
    outcome = run(*arguments.split(), COLUMNS="500")
    assert outcome.code == 2
    assert outcome.out == ""
    assert message in outcome.err
    assert "Usage: nobubble" in outcome.err


@pytest.mark.parametrize("command", ["solve", "bound", "verify", "show", "replay"])
def test_an_empty_path(command: str, run: Run) -> None:
    """Tests that an unset shell variable in the place of a file is told as such."""
    outcome = run(command, "")
    assert outcome.code == 2
    assert outcome.err.endswith("E: the path is empty; give a file, or - for stdin\n")


@pytest.mark.parametrize("command", ["solve", "bound"])
def test_a_profile_that_does_not_exist(command: str, tmp_path: Path, run: Run) -> None:
    """Tests that the missing file is named, without a traceback."""
    outcome = run(command, tmp_path / "no.json")
    assert outcome.code == 2
    assert outcome.err.startswith(f"error: {tmp_path}/no.json: no such file")


@pytest.mark.parametrize("command", ["verify", "show", "render", "replay"])
def test_a_schedule_that_does_not_exist(command: str, tmp_path: Path, run: Run) -> None:
    """Tests that the missing file is named, without a traceback."""
    output = ["-o", str(tmp_path / "x.svg")] if command == "render" else []
    outcome = run(command, tmp_path / "no.json", *output)
    assert outcome.code == 2
    assert outcome.err.startswith(f"error: {tmp_path}/no.json: no such file")


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--microbatches", "0", "/microbatches: "),
        ("--memory-limit", "-5", "/memory_limit: "),
        ("--memory-limit", "1,2", "/memory_limit: "),
        ("--placement", "0,1", "/placement: "),
        ("--placement", "v", "/placement: "),
    ],
)
@pytest.mark.parametrize("command", ["solve", "bound"])
def test_an_override_that_does_not_fit_the_profile(
    command: str, option: str, value: str, message: str, profile_path: Path, run: Run
) -> None:
    """Tests that the message says that the fault is in the option and not in the file."""
    outcome = run(command, profile_path, option, value)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err.startswith("error: ")
    assert message in outcome.err
    assert f"(given by {option})" in outcome.err


def test_every_fault_of_a_profile_has_its_line(profile_path: Path, run: Run) -> None:
    """Tests that a user can mend all faults at once."""
    profile_path.write_text('{"schema": "nobubble.profile/1", "rank": 3, "microbatches": 0}')
    outcome = run("solve", profile_path)
    lines = outcome.err.splitlines()
    assert outcome.code == 2
    assert len(lines) > 1
    assert all(line.startswith(f"error: {profile_path}: ") for line in lines)
