"""Tests that profiles are read from files of any format and from stdin, with options on top."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nobubble.errors import ProfileError
from nobubble.profile.reading import parse_profile, read_profile
from tests.profile.examples import ONE_STAGE, written

YAML = """\
# A comment comes first.
schema: nobubble.profile/1
time_unit: ms
ranks: 04        # YAML 1.2: no octal numbers
microbatches: 8
stages:
  F: &op {time: 1e1}
  B: *op
  W: {time: .5}
"""
TOML = """\
# A comment comes first.
schema = "nobubble.profile/1"
time_unit = "ms"
ranks = 4
microbatches = 8
stages = {F = {time = 1e1}, B = {time = 10}, W = {time = 0.5}}
"""
STAGE = {"F": {"time": 10}, "B": {"time": 10}, "W": {"time": 0.5}}
JSON = json.dumps(written(stages=STAGE))


@pytest.mark.parametrize("text", [JSON, "\n\t " + JSON, YAML, "---\n" + YAML, TOML])
@pytest.mark.parametrize("name", ["profile", "profile.txt"])
def test_format_is_told_by_the_beginning(tmp_path: Path, name: str, text: str) -> None:
    """Tests that a file without a telling extension is read as what it looks like."""
    (tmp_path / name).write_text(text)
    assert read_profile(tmp_path / name) == parse_profile(written(stages=STAGE))


@pytest.mark.parametrize(
    ("name", "text"),
    [("a.json", JSON), ("A.JSON", JSON), ("a.yaml", YAML), ("a.yml", YAML), ("a.toml", TOML)],
)
def test_format_is_told_by_the_extension(tmp_path: Path, name: str, text: str) -> None:
    """Tests that every extension has its format."""
    (tmp_path / name).write_text(text)
    assert read_profile(str(tmp_path / name)) == parse_profile(written(stages=STAGE))


def test_json_is_yaml_too(tmp_path: Path) -> None:
    """Tests that a JSON text reads alike under the name of a YAML file."""
    (tmp_path / "a.yaml").write_text(JSON)
    assert read_profile(tmp_path / "a.yaml") == parse_profile(written(stages=STAGE))


def test_yaml_that_looks_like_json_is_not_json(tmp_path: Path) -> None:
    """Tests that the extension counts for more than the beginning."""
    (tmp_path / "a.json").write_text(YAML)
    with pytest.raises(ProfileError, match=r"a\.json: is not valid JSON: Expecting value"):
        read_profile(tmp_path / "a.json")


def test_byte_order_mark(tmp_path: Path) -> None:
    """Tests that a file saved with a byte order mark is read."""
    (tmp_path / "a.json").write_bytes(b"\xef\xbb\xbf" + JSON.encode())
    assert read_profile(tmp_path / "a.json").ranks == 4


@pytest.mark.parametrize("text", [JSON, YAML, TOML])
def test_stdin(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Tests that - reads any format from stdin."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert read_profile("-") == parse_profile(written(stages=STAGE))


def test_stdin_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that messages about stdin say so."""
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"ranks": }')))
    with pytest.raises(ProfileError, match="<stdin>: is not valid JSON"):
        read_profile("-")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("name: !!bool maybe", '"maybe" is not true or false (at line 1, column 7)'),
        ("ranks: !!int four", '"four" is not a number (at line 1, column 8)'),
        ("ranks: !!map four", "tag:yaml.org,2002:map needs an object (at line 1, column 8)"),
        ("ranks: !!seq four", "tag:yaml.org,2002:seq needs a list (at line 1, column 8)"),
        ("ranks: !!str {}", "tag:yaml.org,2002:str needs a plain value (at line 1, column 8)"),
        ("ranks: *four", "found undefined alias 'four' (at line 1, column 8)"),
    ],
)
def test_yaml_tags(tmp_path: Path, text: str, problem: str) -> None:
    """Tests that explicit tags of YAML that do not fit are told with their place."""
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(ProfileError) as caught:
        read_profile(tmp_path / "a.yaml")
    assert str(caught.value).endswith(f"is not valid YAML: {problem}")


@pytest.mark.parametrize(
    ("value", "told"),
    [("1:30", '"1:30"'), ("1_000", '"1_000"'), ("yes", '"yes"'), ("true", "true"), ("~", "null")],
)
def test_yaml_values_are_what_they_look_like(tmp_path: Path, value: str, told: str) -> None:
    """Tests that nothing becomes a number in YAML that is none in JSON."""
    (tmp_path / "a.yaml").write_text(YAML.replace("microbatches: 8", f"microbatches: {value}"))
    with pytest.raises(ProfileError, match=f"/microbatches: {told} is not a number"):
        read_profile(tmp_path / "a.yaml")


def test_overrides_replace_keys(tmp_path: Path) -> None:
    """Tests that options replace what the file says, before anything is checked."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps(written(microbatches=0, memory_unit="KB", memory_limit=-1)))
    overrides = {
        "microbatches": 3,
        "memory_limit": [1, None, 2.5, 4],
        "placement": "v",
        "objective": "rank_span",
    }
    profile = read_profile(path, overrides)
    assert profile.microbatches == 3
    assert profile.memory_limit == (1000, None, 2500, 4000)
    assert profile.placement == (0, 1, 2, 3, 3, 2, 1, 0)
    assert profile.objective == "rank_span"


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (
            {"microbatches": 0},
            "/microbatches: 0 is too small; microbatches is an integer from 1 to 1000000 "
            "(given by --microbatches)",
        ),
        (
            {"memory_limit": [1, -2, 3, 4]},
            "/memory_limit/1: -2 is negative; a memory limit is a number >= 0, in KB, or null for "
            "none (given by --memory-limit)",
        ),
        (
            {"memory_limit": [1, 2]},
            "/memory_limit: 2 numbers for 4 ranks; memory_limit has one number for every rank "
            "(given by --memory-limit)",
        ),
        (
            {"placement": [0, 1, 2, 4]},
            "/placement/3: rank 4 does not exist; ranks are 0 to 3 (given by --placement)",
        ),
        (
            {"objective": "span"},
            '/objective: "span" is not an objective; did you mean "makespan"? (it is one of '
            "makespan, rank_span) (given by --objective)",
        ),
    ],
)
def test_faults_in_overrides(tmp_path: Path, overrides: dict[str, Any], message: str) -> None:
    """Tests that a fault in an option is not blamed on the file."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps(written(memory_unit="KB")))
    with pytest.raises(ProfileError) as caught:
        read_profile(path, overrides)
    assert str(caught.value) == f"{path}: {message}"


def test_faults_beside_overrides(tmp_path: Path) -> None:
    """Tests that a fault of the file is not blamed on an option."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps(written(ranks=0)))
    with pytest.raises(ProfileError) as caught:
        read_profile(path, {"microbatches": 3})
    assert "given by" not in str(caught.value)


def test_notes_are_optional(tmp_path: Path) -> None:
    """Tests that rounding is told to whoever asks, and fails nobody."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps(written(communication=0.0000001, stages=ONE_STAGE)))
    notes: list[str] = []
    assert read_profile(path) == read_profile(path, notes=notes)
    assert len(notes) == 1


def test_reading_is_imported_without_pydantic() -> None:
    """Tests that a command that reads no profile does not pay for pydantic or YAML."""
    code = "import sys, nobubble.profile.reading; print({'pydantic', 'yaml'} & set(sys.modules))"
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
