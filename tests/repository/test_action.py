"""Tests of the GitHub action: what its steps run is run here, in a clean directory."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from nobubble.profile.reading import read_profile
from nobubble.schedule.writing import json_text
from nobubble.solve import solve
from tests.cli.running import environment

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
SETUP, INSTALL, CHECK = ACTION["runs"]["steps"]


class Runner:
    """Runs steps as GitHub's runner does.

    Parameters
    ----------
    folder : Path
        Empty: what is made on the way goes here.
    """

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "workspace"
        self.temp = folder / "temp"
        self.workspace.mkdir()
        self.temp.mkdir()

    def run(self, step: dict[str, Any], **inputs: str) -> subprocess.CompletedProcess[str]:
        """Run a shell step with these inputs, and the defaults of others."""
        assert step["shell"] == "bash"
        values = {f"inputs.{name}": its["default"] for name, its in ACTION["inputs"].items()}
        values |= {f"inputs.{name}": value for name, value in inputs.items()}
        values |= {
            "steps.python.outputs.python-path": sys.executable,
            "github.action_path": str(ROOT),
        }
        variables = {
            name: re.sub(r"\$\{\{ (.*?) \}\}", lambda found: values[found[1]], value)
            for name, value in step["env"].items()
        }
        script = self.temp / "step.sh"
        script.write_text(step["run"])
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self.workspace,
            # Nothing is fetched: what nobubble needs is here already, to build it as well.
            # Nobubble itself comes from what was installed, not from here.
            env=environment(
                PYTHONPATH=os.pathsep.join(path for path in sys.path if "site-packages" in path),
                RUNNER_TEMP=str(self.temp),
                PIP_NO_INDEX="1",
                PIP_NO_DEPS="1",
                PIP_NO_BUILD_ISOLATION="0",  # pip reads this the wrong way round
                **variables,
            ),
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """Give a runner with a profile in the user's repository."""
    runner = Runner(tmp_path)
    folder = runner.workspace / "my profiles"
    folder.mkdir()
    (folder / "minimal.json").write_text((ROOT / "profiles" / "minimal.json").read_text())
    return runner


def test_the_steps_install_and_check(runner: Runner) -> None:
    """Tests a repository without a schedule, one with it, and one with a changed profile."""
    installed = runner.run(INSTALL)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    program = runner.temp / "nobubble" / "bin" / "nobubble"
    assert program.is_file()
    (packages,) = (runner.temp / "nobubble" / "lib").glob("*/site-packages")
    assert (packages / "nobubble_cli").is_dir()

    inputs = {"profiles": "my profiles", "schedules": "plans"}
    missing = runner.run(CHECK, **inputs)
    assert missing.returncode == 5
    assert missing.stderr == (
        "error: plans/minimal.schedule.json: is missing; --update writes it\n"
    )
    # Made here, where the kernels are compiled already; proven by the bounds, so not solved again.
    plans = runner.workspace / "plans"
    plans.mkdir()
    document = solve(read_profile(runner.workspace / "my profiles" / "minimal.json"))
    (plans / "minimal.schedule.json").write_text(json_text(document))
    right = runner.run(CHECK, **inputs, arguments="--effort fast")
    assert right.returncode == 0, right.stderr

    profile = runner.workspace / "my profiles" / "minimal.json"
    profile.write_text(json.dumps({**json.loads(profile.read_text()), "microbatches": 3}))
    assert runner.run(CHECK, **inputs).returncode == 5


def test_inputs_cannot_run_anything(runner: Runner) -> None:
    """Tests that an input is never part of a script, and that its words are words."""
    for step in (INSTALL, CHECK):
        assert "${{" not in step["run"]
    program = runner.temp / "nobubble" / "bin" / "nobubble"
    program.parent.mkdir(parents=True)
    program.write_text('#!/bin/sh\nprintf "<%s>" "$@"\n')
    program.chmod(0o755)
    (runner.workspace / "x").write_text("")
    done = runner.run(CHECK, profiles="-p; $(touch y)", arguments="--seed * `touch y` ;")
    assert done.stdout == "<check><--seed><*><`touch><y`><;><--><-p; $(touch y)><schedules>"
    assert not (runner.workspace / "y").exists()


def test_the_python_of_the_job_stays_as_it_is() -> None:
    """Tests that the action disturbs no later step, and takes a Python that nobubble runs on."""
    assert re.fullmatch(r"actions/setup-python@v\d+", SETUP["uses"])
    assert SETUP["with"]["update-environment"] is False
    assert SETUP["with"]["python-version"] == "${{ inputs.python-version }}"
    assert ACTION["inputs"]["python-version"]["default"] in ("3.11", "3.12", "3.13")


def test_the_documented_inputs_are_those() -> None:
    """Tests that docs/ci.md names every input, and that its example uses no other."""
    text = (ROOT / "docs" / "ci.md").read_text("utf-8")
    for name, its in ACTION["inputs"].items():
        assert f"| `{name}` |" in text
        assert its["description"]
    example = next(
        yaml.safe_load(block) for block in re.findall(r"```yml\n(.*?)```", text, flags=re.DOTALL)
    )
    steps = [step for job in example["jobs"].values() for step in job["steps"]]
    (step,) = [step for step in steps if "nobubble" in step.get("uses", "")]
    assert set(step["with"]) <= set(ACTION["inputs"])
