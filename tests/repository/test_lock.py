"""Tests of requirements.lock, from which every environment is installed."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LOCK = (ROOT / "requirements.lock").read_text()


def locked_requirements() -> list[Requirement]:
    lines = re.findall(r"^[a-z0-9].*(?= \\$)", LOCK, flags=re.MULTILINE)
    return [Requirement(line) for line in lines]


def declared_requirements() -> list[Requirement]:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    declared = pyproject["project"]["dependencies"] + pyproject["dependency-groups"]["dev"]
    return [Requirement(line) for line in declared]


@pytest.mark.parametrize("declared", declared_requirements(), ids=lambda r: r.name)
def test_locks_what_is_declared(declared: Requirement) -> None:
    """Tests that `make lock` was run after pyproject.toml changed."""
    name = canonicalize_name(declared.name)
    pins = [pin for pin in locked_requirements() if canonicalize_name(pin.name) == name]
    assert pins
    for pin in pins:
        (version,) = [clause.version for clause in pin.specifier]
        assert declared.specifier.contains(version)


def test_pins_and_hashes_everything() -> None:
    """Tests that pip and uv can install the lock with --require-hashes."""
    entries = re.findall(r"^[^\s#].*\n(?:    .*\n)*", LOCK, flags=re.MULTILINE)
    assert len(entries) == len(locked_requirements())
    for entry in entries:
        assert re.match(r"[a-z0-9-]+==\S+ ", entry)
        assert "--hash=sha256:" in entry


def test_names_no_host_and_no_path() -> None:
    """Tests that the lock installs from whatever index the user has set up."""
    assert not re.search(r"://|--(extra-)?index|--find-links|/", LOCK)


def test_holds_no_torch() -> None:
    """Tests that planning a schedule does not install a training framework."""
    assert "torch" not in {pin.name for pin in locked_requirements()}
