"""Tests of the Dockerfile, without Docker: it is linted, and what it copies is there."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "Dockerfile").read_text()
COPIED = re.findall(r"^COPY (?!--from)(\S+) ", TEXT, re.MULTILINE)


def test_hadolint_has_no_complaint() -> None:
    """Tests it with the common linter."""
    program = Path(sys.executable).with_name("hadolint")
    command = str(program) if program.exists() else shutil.which("hadolint")
    assert command is not None
    done = subprocess.run([command, str(ROOT / "Dockerfile")], capture_output=True, text=True)
    assert (done.stdout, done.returncode) == ("", 0)


@pytest.mark.parametrize("path", COPIED)
def test_what_is_copied_is_there_and_not_ignored(path: str) -> None:
    """Tests every COPY from the build context."""
    assert (ROOT / path).exists()
    assert f"!{path}" in (ROOT / ".dockerignore").read_text().splitlines()


def test_it_runs_as_nobody_in_particular() -> None:
    """Tests the numeric user, the health check, and that the entry point is no shell."""
    assert re.search(r"^USER 10001:10001$", TEXT, re.MULTILINE)
    assert "HEALTHCHECK" in TEXT
    assert re.search(r"^ENTRYPOINT \[", TEXT, re.MULTILINE)


def test_the_image_installs_the_versions_that_were_tested() -> None:
    """Tests that both locks agree."""

    def pins(name: str) -> dict[str, str]:
        found = re.findall(r"^([\w.-]+)==(\S+)", (ROOT / name).read_text(), re.MULTILINE)
        return dict(found)

    tested = pins("requirements.lock")
    installed = pins("requirements-service.lock")
    assert {name: tested.get(name) for name in installed} == installed
    assert "pytest" not in installed
