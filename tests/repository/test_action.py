"""Tests that the GitHub action does what it says, as far as that can be run here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import yaml

from nobubble_api.examples import PROFILE
from tests.cli.running import environment

ACTION = yaml.safe_load((Path(__file__).parents[2] / "action.yml").read_text())


def test_the_check_step_passes_and_fails(tmp_path: Path) -> None:
    """Tests the step's own command in a clean folder, with the inputs as they arrive."""
    step = ACTION["runs"]["steps"][-1]
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / "nobubble"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m nobubble_cli "$@"\n')
    program.chmod(0o755)
    (tmp_path / "profiles").mkdir()
    (tmp_path / "profiles" / "a.json").write_text(json.dumps(PROFILE))
    inputs = {name.upper(): value["default"] for name, value in ACTION["inputs"].items()}
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"

    def run(arguments: str) -> int:
        changes = {
            **{name: inputs[name] for name in step["env"]},
            "ARGUMENTS": arguments,
            "PATH": path,
        }
        command = ["bash", "-e", "-o", "pipefail", "-c", step["run"]]
        return subprocess.run(command, cwd=tmp_path, env=environment(**changes)).returncode

    assert run("") == 2
    assert run("--update --effort fast") == 0
    assert run("") == 0
    (tmp_path / "schedules" / "a.schedule.json").unlink()
    assert run("") == 5
