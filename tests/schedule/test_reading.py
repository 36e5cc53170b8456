"""Tests that schedule documents are read exactly, and that what is wrong with one is told."""

from __future__ import annotations

import io
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from nobubble.errors import ScheduleError
from nobubble.schedule.reading import MOST_FAULTS, parse_schedule, read_schedule
from nobubble.schedule.writing import json_text
from nobubble.verifier.verify import verify
from tests.verifier.examples import actions, simple


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Give where a schedule file may be written."""
    return tmp_path / "schedule.json"


def faults(schedule: Any) -> list[str]:
    """Give the faults of a document."""
    with pytest.raises(ScheduleError) as caught:
        parse_schedule(schedule)
    return [str(fault) for fault in caught.value.faults]


def test_what_is_written_is_read(path: Path) -> None:
    """Tests that a document comes back equal from its file, with exact decimals."""
    schedule = simple()
    path.write_text(json_text(schedule), encoding="utf-8")
    read = read_schedule(path)
    assert read == schedule
    assert read["metrics"]["ranks"][1]["start"] == Decimal("10.5")
    assert isinstance(read["metrics"]["ranks"][1]["start"], Decimal)
    assert json_text(read) == json_text(schedule)
    assert verify(read) == []


def test_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that a hyphen reads from stdin, which messages call <stdin>."""
    text = json_text(simple()).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    assert read_schedule("-") == simple()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[1]")))
    with pytest.raises(ScheduleError) as caught:
        read_schedule("-")
    assert str(caught.value) == (
        "<stdin>: is not an object but a list; a schedule is an object with a schema"
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (b"", "is empty; a schedule is an object with a schema"),
        (b"{", "is not valid JSON: Expecting property name enclosed in double quotes "
               "(at line 1, column 2)"),
        (b"\xff{}", "is not UTF-8 text (byte 0xff at offset 0); save it as UTF-8"),
        (b'{"a": NaN}', "has NaN, which is no number in JSON; every number is finite"),
        (b'{"a": [-Infinity]}',
         "has -Infinity, which is no number in JSON; every number is finite"),
        (b'{"a": {"b": 1, "c": 2, "b": 1}}', 'has the key "b" twice in one object; leave one'),
        (b"1" * 5000, "has a number of more than 4300 digits; none here is so large"),
        (b"1e" + b"9" * 30, f"has the number 1e{'9' * 30}, which is out of any range"),
        (b"[" * 100_000, "is nested too deeply for a schedule"),
    ],
)  # fmt: skip
def test_text_that_cannot_be_read(path: Path, text: bytes, fault: str) -> None:
    """Tests that what is not exact JSON is refused, naming the file."""
    path.write_bytes(text)
    with pytest.raises(ScheduleError) as caught:
        read_schedule(path)
    assert str(caught.value) == f"{path}: {fault}"
    assert caught.value.exit_code == 2


def test_file_that_cannot_be_read(tmp_path: Path) -> None:
    """Tests that a missing file and a directory are told as such."""
    with pytest.raises(ScheduleError, match=r"none\.json: no such file; give the path"):
        read_schedule(tmp_path / "none.json")
    with pytest.raises(ScheduleError, match="is a directory; give the path of a schedule file"):
        read_schedule(tmp_path)


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        (3, '3 is not the schema of a schedule; it is "nobubble.schedule/1"'),
        (
            "nobubble.schedule/2",
            '"nobubble.schedule/2" is a version that this nobubble does not read; '
            'it reads "nobubble.schedule/1"',
        ),
        (
            "nobubble.profile/1",
            '"nobubble.profile/1" is a profile; a schedule has "schema": "nobubble.schedule/1", '
            "and solve makes one",
        ),
    ],
)
def test_other_schemas(schema: Any, fault: str) -> None:
    """Tests that of a document of another format only that is told."""
    assert faults({"schema": schema, "ranks": 8}) == [f"/schema: {fault}"]


def test_a_key_that_is_no_text() -> None:
    """Tests half of a surrogate pair, which JSON can spell and no text has."""
    schedule: Any = simple()
    schedule["ranks"][0]["actions"][1]["\ud800"] = 1
    assert faults(schedule) == [
        "/ranks/0/actions/1: has a key with half of a surrogate pair, which is no text"
    ]


def test_no_schema() -> None:
    """Tests that a document without a schema is told which one it should have."""
    assert faults({}) == ['/schema: is missing; a schedule has "schema": "nobubble.schedule/1"']


def test_unknown_and_missing_keys() -> None:
    """Tests that a key that there is not, and one that is not there, are told with those there are.

    An op has a start and an end and no peer, a transfer the other way round.
    """
    schedule = simple()
    schedule["speed"] = 1
    del schedule["generator"]["name"]
    actions(schedule, 0)[0]["peer"] = 1
    del actions(schedule, 0)[1]["peer"]
    actions(schedule, 0)[1]["start"] = 3
    of_transfer = "the keys here are op, stage, microbatch, peer"
    assert faults(schedule) == [
        "/generator/name: is missing; the keys here are name, version, options",
        "/speed: is not a known key; the keys here are schema, profile, profile_sha256, "
        "generator, method, stopped_by, status, objective, requires, cost, lower_bound, bound, "
        "gap, metrics, placement, ranks",
        "/ranks/0/actions/0/peer: is not a known key; the keys here are op, stage, microbatch, "
        "start, end",
        f"/ranks/0/actions/1/peer: is missing; {of_transfer}",
        f"/ranks/0/actions/1/start: is not a known key; {of_transfer}",
    ]


INDEX = "it is a whole number from 0 to 2147483647"


@pytest.mark.parametrize(
    ("key", "value", "fault"),
    [
        ("op", "SEND", '"SEND" is no op; it is one of F, B, W, BW, SEND_F, RECV_F, SEND_B, RECV_B'),
        ("op", ["F"], "a list is no op; it is one of F, B, W, BW, SEND_F, RECV_F, SEND_B, RECV_B"),
        ("stage", True, f"true is not a whole number; {INDEX}"),
        ("stage", Decimal("1.5"), f"1.5 is not a whole number; {INDEX}"),
        ("stage", -1, f"-1 is out of range; {INDEX}"),
        ("microbatch", 2**31, f"2147483648 is out of range; {INDEX}"),
        ("microbatch", "0", f'"0" is not a whole number; {INDEX}'),
        ("start", True, "true is not a finite number"),
        ("start", "0", '"0" is not a finite number'),
        ("start", None, "null is not a finite number"),
        ("end", float("nan"), "NaN is not a finite number"),
        ("end", Decimal("-Infinity"), "-infinity is not a finite number"),
    ],
)
def test_values_of_an_action(key: str, value: Any, fault: str) -> None:
    """Tests that a wrong value is told once, with what would be right."""
    schedule = simple()
    actions(schedule, 1)[1][key] = value
    assert faults(schedule) == [f"/ranks/1/actions/1/{key}: {fault}"]


@pytest.mark.parametrize(
    ("key", "value", "fault"),
    [
        ("status", "best", '"best" is not right here; it is "optimal" or "feasible"'),
        ("method", 3, "3 is not text"),
        ("metrics", [], "a list is not an object"),
        ("placement", 0, "0 is not a list"),
        ("ranks", {}, "an object is not a list"),
        ("profile", "p8.json", '"p8.json" is not an object'),
        ("gap", "0 %", '"0 %" is not a finite number'),
    ],
)
def test_values_of_the_document(key: str, value: Any, fault: str) -> None:
    """Tests that every type is told in the words of JSON."""
    schedule = simple()
    schedule[key] = value
    assert faults(schedule) == [f"/{key}: {fault}"]


def test_action_that_is_no_object() -> None:
    """Tests that an action in another form is told once."""
    schedule = simple()
    actions(schedule, 0)[2] = "0F1"
    schedule["ranks"][1] = []
    assert faults(schedule) == [
        '/ranks/0/actions/2: "0F1" is not an object',
        "/ranks/1: a list is not an object",
    ]


def test_limit_of_a_rank_may_be_null() -> None:
    """Tests that a memory limit is a number or null."""
    schedule = simple()
    schedule["metrics"]["ranks"][0]["memory_limit"] = None
    parse_schedule(schedule)
    schedule["metrics"]["ranks"][0]["memory_limit"] = "none"
    assert faults(schedule) == ['/metrics/ranks/0/memory_limit: "none" is not a finite number']


def test_profile_in_a_schedule() -> None:
    """Tests that faults of the profile are told as when it is read alone, with their place."""
    schedule = simple()
    schedule["profile"]["stages"][1]["F"]["time"] = -1
    assert faults(schedule) == [
        "/profile/stages/1/F/time: -1 is negative; a time is a number >= 0, in ms"
    ]


def test_number_of_faults_is_limited() -> None:
    """Tests that one slip over all actions does not fill the screen."""
    schedule = simple()
    for rank in schedule["ranks"]:
        for action in rank["actions"]:
            action["stage"] = action["microbatch"] = None
    told = faults(schedule)
    assert len(told) == MOST_FAULTS + 1
    assert told[-1] == "and more faults"


def test_forms_of_a_document_need_no_pydantic() -> None:
    """Tests that what builds and verifies schedules starts without pydantic."""
    code = "import sys, nobubble.schedule.document; sys.exit('pydantic' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, env={"PYTHONPATH": ":".join(sys.path)})
