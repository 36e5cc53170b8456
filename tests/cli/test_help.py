"""Tests of help, version and the public options."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
import typer.main

from nobubble._version import __version__
from nobubble.methods import METHODS
from nobubble_cli.main import app
from tests.cli.running import Run, environment, run_process


def commands(group: Any, path: str = "") -> Mapping[str, Any]:
    """Give all commands by their full names: those of a group stand under the group's."""
    found: dict[str, Any] = {}
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            found.update(commands(command, f"{path}{name} "))
        else:
            found[f"{path}{name}"] = command
    return found


COMMANDS = commands(typer.main.get_command(app))
SOLVING = ["--method", "--effort", "--seed", "--time-limit"]
SERVICE = ["--server", "--token"]

OVERRIDES = ["--objective", "--microbatches", "--memory-limit", "--placement"]
OPTIONS = {
    "solve": [
        *["-o", "--output", *SOLVING, *OVERRIDES, "--ignore-memory-limit", *SERVICE],
    ],
    "compare": [
        *["-o", "--output", "--sweep-memory", "--partition", *SOLVING, *OVERRIDES[:3], "--format"],
    ],
    "verify": ["--profile", "--strict", *OVERRIDES, "--ignore-memory-limit"],
    "bound": OVERRIDES,
    "show": ["--width", "--color", "--detail"],
    "render": ["-o", "--output", "--format"],
    "export": ["--format", "-o", "--output"],
    "import": ["--profile", "-o", "--output", "--ops-only", *OVERRIDES, "--ignore-memory-limit"],
    "diff": ["--step", "-o", "--output", "--profile-out", "--format"],
    "profile from-model": [
        *["--hidden", "--layers", "--heads", "--sequence", "--ranks", "--microbatches"],
        *["--microbatch-size", "--vocabulary", "--tensor-parallel", "--flops", "--efficiency"],
        *["--bandwidth", "--latency", "--element-bytes", "--parameter-bytes"],
        *["--store-attention", "--memory-limit", "--name", "-o", "--output"],
    ],
    "profile from-trace": ["--schedule", "-o", "--output"],
    "replay": ["--noise", "--rank-noise", "--slow-rank", "--samples", "--seed"],
    "check": ["--update", *SOLVING, *SERVICE],
    "jobs submit": [
        *[*SOLVING, *OVERRIDES, "--ignore-memory-limit", "--name", "--tag", "--idempotency-key"],
        *SERVICE,
    ],
    "jobs list": ["--state", "--tag", "--limit", "--after", "--format", *SERVICE],
    "jobs show": SERVICE,
    "jobs watch": ["-o", "--output", *SERVICE],
    "jobs cancel": SERVICE,
    "serve": [
        *["--host", "--port", "--data-dir", "--database-url", "--executor", "--workers"],
        *["--tokens-file", "--tokens", "--allow-anyone", "--max-body", "--body-timeout"],
        *["--max-ops", "--sync-limit", "--max-time-limit", "--max-queued", "--max-streams"],
        *["--keep-days", "--shutdown-grace", "--log-level"],
    ],
}
"""What scripts may rely on: a change here is a change to announce."""


def test_the_commands_and_their_options_are_these() -> None:
    """Tests that nothing public appears or goes away unnoticed."""
    assert {
        name: [
            option
            for parameter in command.params
            if parameter.param_type_name == "option"
            for option in parameter.opts
        ]
        for name, command in COMMANDS.items()
    } == OPTIONS


@pytest.mark.parametrize("command", OPTIONS)
def test_help_shows_an_example_that_can_be_parsed(command: str, run: Run) -> None:
    """Tests that the example of every command has no mistake in it."""
    outcome = run(*command.split(), "--help", COLUMNS="200")
    assert outcome.code == 0
    assert outcome.err == ""
    _, example = outcome.out.split("Example:\n", 1)
    line = example.strip().splitlines()[0]
    assert line.startswith(f"nobubble {command} ")
    COMMANDS[command].make_context(command, line.split()[1 + len(command.split()) :])


@pytest.mark.parametrize("command", OPTIONS)
def test_help_shows_every_option_with_its_environment_twin(command: str, run: Run) -> None:
    """Tests that nobody has to guess the name of a variable."""
    text = " ".join(run(*command.split(), "-h").out.split())
    for option in OPTIONS[command]:
        assert option in text
        if option.startswith("--"):
            # A service has one configuration, whatever starts it.
            of = "" if command == "serve" else f"_{command.replace(' ', '_')}"
            twin = f"NOBUBBLE{of}{option[1:]}".upper().replace("-", "_")
            # What says where the service is, is the same for all commands.
            common = f", NOBUBBLE_{option[2:].upper()}" if option in SERVICE else ""
            assert f"env var: {twin}{common}" in text


def test_help_lists_the_methods(run: Run) -> None:
    """Tests that every method is named, on one line to copy from."""
    assert "|".join(METHODS) in run("solve", "--help").out


def test_help_comes_before_anything_heavy_is_imported() -> None:
    """Tests that the start stays quick as nobubble grows."""
    program = (
        "import sys\n"
        "from nobubble_cli.main import main\n"
        "try: main(['--help'])\n"
        "except SystemExit as end: assert end.code == 0\n"
        "heavy = {'numpy', 'numba', 'pydantic', 'yaml', 'rich', 'jsonschema', 'httpx'}\n"
        "sys.exit(repr(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "solve" in done.stdout


def test_nobubble_alone_prints_help(run: Run) -> None:
    """Tests that a missing command shows the commands, and is an error for a script."""
    outcome = run()
    assert outcome.code == 2
    assert outcome.out == ""
    for command in OPTIONS:
        assert f"  {command.split()[0]} " in outcome.err


def test_help_lists_the_exit_codes(run: Run) -> None:
    """Tests that a script's author finds them, each on its own line."""
    lines = [line.split() for line in run("--help").out.splitlines()]
    assert {line[0] for line in lines if line and line[0].isdigit()} == set("02345")


def test_version() -> None:
    """Tests that a process of its own prints the version, whatever NOBUBBLE_VERSION means here."""
    outcome = run_process("--version", NOBUBBLE_VERSION="2.0-rc1")
    assert (outcome.code, outcome.out, outcome.err) == (0, f"nobubble {__version__}\n", "")
