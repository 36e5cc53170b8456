"""Tests that the published JSON Schema says what the reader does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from nobubble.profile import yaml_exact
from nobubble.profile.canonical import canonical_form
from nobubble.profile.model import Profile
from nobubble.profile.reading import parse_profile
from nobubble.schemas import SCHEMAS, main, profile_schema
from tests.profile.examples import profiles
from tests.profile.malformed_files import FOLDER, names

ROOT = Path(__file__).parents[2]
SCHEMA = profile_schema()
VALIDATOR = Draft202012Validator(SCHEMA)


def test_committed_files_are_current(tmp_path: Path) -> None:
    """Tests that ``python -m nobubble.schemas docs/schemas`` would change nothing."""
    main([str(tmp_path)])
    for name in SCHEMAS:
        committed = (ROOT / "docs" / "schemas" / name).read_text(encoding="utf-8")
        assert (tmp_path / name).read_text(encoding="utf-8") == committed, name


def test_schema_is_a_schema() -> None:
    """Tests that it is valid JSON Schema of draft 2020-12, with title and examples."""
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMA["title"] == "nobubble.profile/1"


def test_every_key_is_described() -> None:
    """Tests that no key stands without a description."""
    objects = [SCHEMA, *SCHEMA["$defs"].values()]
    missing = [
        key
        for part in objects
        for key, value in part["properties"].items()
        if not value.get("description")
    ]
    assert missing == []


@pytest.mark.parametrize("index", [0, 1])
def test_examples_are_valid(index: int) -> None:
    """Tests that the schema's own examples are valid for it and for the reader."""
    example = SCHEMA["examples"][index]
    VALIDATOR.validate(example)
    parse_profile(example)


READY = sorted(path for path in (ROOT / "profiles").iterdir() if path.suffix in (".json", ".yaml"))


@pytest.mark.parametrize("path", READY, ids=lambda path: path.name)
def test_ready_profiles_are_valid(path: Path) -> None:
    """Tests that every profile in profiles/ is valid for the schema."""
    VALIDATOR.validate(_plain(yaml_exact.load(path.read_text(encoding="utf-8"))))


@given(profiles())
def test_canonical_forms_are_valid(profile: Profile) -> None:
    """Tests that whatever the program writes is valid for the schema."""
    VALIDATOR.validate(canonical_form(profile))


@pytest.mark.parametrize("name", names("structure"))
def test_faults_of_structure_are_refused(name: str) -> None:
    """Tests that the schema refuses what the reader refuses by its structure."""
    assert not VALIDATOR.is_valid(json.loads((FOLDER / name).read_text()))


@pytest.mark.parametrize("name", names("relation"))
def test_faults_of_relation_are_accepted(name: str) -> None:
    """Tests that the schema is silent about what only the reader can tell."""
    VALIDATOR.validate(json.loads((FOLDER / name).read_text()))


def _plain(value: Any) -> Any:
    """Give decimals as floats, as a JSON Schema validator has them."""
    return json.loads(json.dumps(value, default=float))
