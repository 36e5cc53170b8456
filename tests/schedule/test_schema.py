"""Tests that the published JSON Schema of schedules says what the reader does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from nobubble.errors import ScheduleError
from nobubble.schedule.reading import parse_schedule
from nobubble.schedule.writing import json_text
from nobubble.schemas import schedule_schema
from tests.verifier.examples import actions, schedules, simple

SCHEMA = schedule_schema()
VALIDATOR = Draft202012Validator(SCHEMA)


def test_schema_is_a_schema() -> None:
    """Tests that it is valid JSON Schema of draft 2020-12 with a title."""
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMA["title"] == "nobubble.schedule/1"


def test_every_key_is_described() -> None:
    """Tests that no key stands without a description."""
    parts = [SCHEMA, *SCHEMA["$defs"].values()]
    missing = [
        key
        for part in parts
        for key, value in part["properties"].items()
        if not value.get("description")
    ]
    assert missing == []


@settings(max_examples=25, deadline=None)
@given(schedules())
def test_documents_are_valid(schedule: Any) -> None:
    """Tests that whatever is built and written is valid for the schema."""
    VALIDATOR.validate(json.loads(json_text(schedule)))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("speed",), 1),
        (("schema",), "nobubble.schedule/2"),
        (("status",), "best"),
        (("cost",), "66"),
        (("requires",), ["optimizer"]),
        (("placement",), [-1, 1]),
        (("profile", "ranks"), 0),
        (("metrics", "ranks", 0, "memory_limit"), "none"),
        (("ranks", 0, "actions", 0, "op"), "SEND_F"),
        (("ranks", 0, "actions", 0, "peer"), 1),
        (("ranks", 0, "actions", 0, "stage"), 1.5),
        (("ranks", 0, "actions", 0, "start"), None),
        (("ranks", 0, "actions", 1, "end"), 3),
        (("ranks", 0, "rank"), True),
    ],
)
def test_schema_refuses_what_the_reader_refuses(place: tuple[Any, ...], value: Any) -> None:
    """Tests that a document of the wrong shape is valid for neither."""
    schedule = json.loads(json_text(simple()))
    holder = schedule
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    assert not VALIDATOR.is_valid(schedule)
    with pytest.raises(ScheduleError):
        parse_schedule(schedule)


def test_schema_refuses_what_is_incomplete() -> None:
    """Tests that a missing key is valid for neither."""
    schedule = json.loads(json_text(simple()))
    del actions(schedule, 1)[0]["peer"]
    assert not VALIDATOR.is_valid(schedule)
    with pytest.raises(ScheduleError):
        parse_schedule(schedule)
