"""Tests that the documentation is true: commands, profiles, pictures and links.

A fenced block of a document may be

- ``json NAME``: a file, there for every command: a profile, or a run as ``nobubble diff`` reads it;
- ``console``: commands after ``$``, each with what it prints, where ``...`` stands for any lines,
  or for any words of a line;
- ``python``: a program;
- ``json`` or ``yaml``: keys of a profile;
- ``json excerpt``: lines of the schedule of ``tiny.json``.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from nobubble.profile import yaml_exact
from nobubble.profile.reading import parse_profile
from nobubble.schedule.writing import json_text
from nobubble.solve import solve
from tests.cli.running import environment

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("profiles/*.md")])
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")

_NEEDED = ("Makefile", "optimizer", "profiles", "pyproject.toml", "requirements.lock")
_BLOCK = re.compile(r"^```(\w+) ?(.*)\n((?s:.*?))^```$", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s]*)\)")
_REST = {
    "schema": "nobubble.profile/1",
    "time_unit": "ms",
    "ranks": 4,
    "microbatches": 8,
    "stages": {"F": {"time": 1}, "B": {"time": 1}, "W": {"time": 1}},
}
"""What a profile needs, for blocks that show some keys only."""


class Block(NamedTuple):
    """A fenced block, and what stands after its first word."""

    language: str
    note: str
    text: str


def blocks(document: Path) -> list[Block]:
    return [Block(*found) for found in _BLOCK.findall(document.read_text(encoding="utf-8"))]


def of_language(*languages: str) -> list[Any]:
    return [
        pytest.param(block, id=f"{document.name}-{number}")
        for document in DOCUMENTS
        for number, block in enumerate(blocks(document))
        if block.language in languages
    ]


def files() -> dict[str, str]:
    """Give the files that the documents tell to write."""
    return {
        block.note: block.text
        for document in DOCUMENTS
        for block in blocks(document)
        if block.language == "json" and block.note.endswith(".json")
    }


def name_of(document: Path) -> str:
    return str(document.relative_to(ROOT))


def matches(expected: str, printed: str) -> bool:
    """Say whether lines are as expected.

    A line ``...`` stands for any number of lines, and ``...`` in a line for any words.
    """
    pieces = [
        "(?:.*\n)*" if line == "..." else re.escape(line).replace(re.escape("..."), ".*") + "\n"
        for line in expected.splitlines()
    ]
    return re.fullmatch("".join(pieces), printed) is not None


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Give the commands of a console block, each with what it should print."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        yield command, expected


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Give a folder with what the commands need, in which `make` installs nothing."""
    for entry in _NEEDED:
        (tmp_path / entry).symlink_to(ROOT / entry)
    for name, text in files().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    programs = tmp_path / ".programs"
    programs.mkdir()
    stamp = programs / "installed"
    for name, line in (
        ("nobubble", f"{sys.executable} -m nobubble_cli"),
        ("python", sys.executable),
        ("make", f"{shutil.which('make')} VENV={programs} STAMP={stamp} --old-file={stamp}"),
    ):
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec {line} "$@"\n', encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    stamp.touch()
    return tmp_path


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_commands_print_what_is_written(document: Path, workspace: Path) -> None:
    """Tests every command and every program of a document, in order."""
    path = f"{workspace / '.programs'}{os.pathsep}{os.environ['PATH']}"
    outside = ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")
    settings = {key: value for key, value in environment(PATH=path).items() if key not in outside}
    for block in blocks(document):
        if block.language == "python":
            run([sys.executable, "-c", block.text], workspace, settings)
        elif block.language == "console":
            for command, expected in commands(block.text):
                printed = run(["bash", "-c", command], workspace, settings)
                assert matches(expected, printed), f"$ {command}\n{printed}"


def run(command: list[str], folder: Path, settings: dict[str, str]) -> str:
    """Run a command, which must succeed, and give all that it prints."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize("block", of_language("json", "yaml"))
def test_profiles_are_valid(block: Block) -> None:
    """Tests every profile, and every piece of one, and what is shown of a schedule."""
    if block.note == "excerpt":
        profile = yaml_exact.load(files()["tiny.json"])
        assert isinstance(profile, dict)
        schedule = json_text(solve(parse_profile(profile)))
        assert matches(f"...\n{block.text}...\n", schedule)
        return
    data = yaml_exact.load(block.text)
    assert isinstance(data, dict)
    if data.get("schema") == "nobubble.run/1":
        return
    parse_profile(data if "schema" in data else {**_REST, **data})


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_links_lead_somewhere(document: Path) -> None:
    """Tests that what is linked to in the repository is there, headings included."""
    for link in _LINK.findall(document.read_text(encoding="utf-8")):
        if re.match("https?://", link):
            continue
        path, _, heading = link.partition("#")
        target = document.parent / path if path else document
        assert target.exists(), link
        if heading:
            assert heading in headings(target), link


def headings(document: Path) -> list[str]:
    """Give the anchors that GitHub gives to the headings of a document."""
    found = re.findall(r"^#+ (.*)$", document.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in found]


@pytest.mark.parametrize("document", DOCUMENTS, ids=name_of)
def test_targets_and_benchmarks_exist(document: Path) -> None:
    """Tests that every `make ...` and `python -m ...` in running text can be called."""
    text = document.read_text(encoding="utf-8")
    for target in re.findall(r"`make ([a-z]+)", text):
        assert re.search(rf"^{target}:", MAKEFILE, flags=re.MULTILINE), target
    for module in re.findall(r"python -m ([\w.]+)", text):
        assert importlib.util.find_spec(module), module


def test_pictures_are_current(tmp_path: Path) -> None:
    """Tests that `make pictures` would change nothing."""
    folder = ROOT / "docs" / "pictures"
    specification = importlib.util.spec_from_file_location("draw", folder / "draw.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    module.main([str(tmp_path)])
    drawn = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    there = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.svg")}
    assert drawn == there
