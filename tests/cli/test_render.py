"""Tests of ``nobubble render``."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.running import Run


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("x.svg", "svg"),
        ("x.html", "html"),
        ("x.htm", "html"),
        ("x.SVG", "svg"),
        ("x.json", "trace"),
    ],
)
def test_the_extension_says_the_format(name: str, kind: str, schedule_path: Path, run: Run) -> None:
    """Tests that a file holds what its name says, and that the user is told where it is."""
    path = schedule_path.with_name(name)
    outcome = run("render", schedule_path, "-o", path)
    assert (outcome.code, outcome.out, outcome.err) == (0, "", f"written to {path}\n")
    assert kind_of(path.read_text()) == kind


@pytest.mark.parametrize("kind", ["svg", "html", "trace"])
def test_the_format_is_given_for_stdout(kind: str, schedule_path: Path, run: Run) -> None:
    """Tests that stdout carries the picture and nothing else."""
    outcome = run("render", schedule_path, "-o", "-", "--format", kind)
    assert (outcome.code, outcome.err) == (0, "")
    assert kind_of(outcome.out) == kind


def test_the_format_wins_over_the_extension(schedule_path: Path, run: Run) -> None:
    """Tests a name without a telling extension."""
    path = schedule_path.with_name("x.perfetto")
    assert run("render", schedule_path, "-o", path, "--format", "trace").code == 0
    assert kind_of(path.read_text()) == "trace"


def test_a_schedule_is_not_overwritten_by_its_trace(schedule_path: Path, run: Run) -> None:
    """Tests that the same name twice, a likely slip, does not cost the schedule."""
    before = schedule_path.read_bytes()
    outcome = run("render", schedule_path, "-o", schedule_path)
    assert outcome.code == 2
    assert "this is the schedule itself" in outcome.err
    assert schedule_path.read_bytes() == before


def test_a_schedule_from_stdin(schedule_path: Path, run: Run) -> None:
    """Tests that - is stdin and stdout at once."""
    arguments = ("-o", "-", "--format", "svg")
    piped = run("render", "-", *arguments, stdin=schedule_path.read_text())
    assert piped == run("render", schedule_path, *arguments)


def kind_of(text: str) -> str:
    """Tell what a picture is."""
    if text.lower().startswith("<!doctype html>"):
        return "html"
    if text.startswith("{") or text.startswith("["):
        json.loads(text)
        return "trace"
    assert ElementTree.fromstring(text).tag.endswith("svg")
    return "svg"
