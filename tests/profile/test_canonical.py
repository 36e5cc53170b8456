"""Tests that equal problems have equal canonical forms, and documents lose nothing."""

from __future__ import annotations

import dataclasses
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from nobubble.profile.canonical import canonical_bytes, canonical_form, profile_sha256
from nobubble.profile.document import profile_document
from nobubble.profile.model import Profile
from nobubble.profile.reading import parse_profile, read_profile
from nobubble.schedule.writing import json_text
from tests.profile.examples import ONE_STAGE, profiles, with_memory, written

EXAMPLE = written(
    name="example",
    memory_unit="MiB",
    stages=with_memory(12.5, -7.25, -5.25, time=17.5),
    communication=0.527,
    memory_limit=[50, None, 50, 50],
)


def test_hash_is_fixed() -> None:
    """Tests that the hash of a profile does not change from version to version."""
    assert (
        profile_sha256(parse_profile(EXAMPLE))
        == "314edb898254963004410f3aba15cc54bce61d59bee9d81c59b13620a08e9adf"
    )


def test_canonical_bytes_have_sorted_keys_and_no_white_space() -> None:
    """Tests the form that the hash is taken of, letter by letter."""
    profile = parse_profile(written(ranks=1, microbatches=2, name="nobody", stages=ONE_STAGE))
    zero = '"memory":0,"time":'
    assert canonical_bytes(profile).decode() == (
        '{"communication":{"B":[],"F":[]},"memory_limit":[null],"memory_unit":"B",'
        '"microbatches":2,"objective":"makespan","placement":[0],"ranks":1,'
        '"schema":"nobubble.profile/1","stages":[{'
        f'"B":{{{zero}11000000,"workspace":0}},"BW":{{{zero}19000000,"workspace":0}},'
        f'"F":{{{zero}10000000,"workspace":0}},"W":{{{zero}8000000,"workspace":0}},'
        '"backward":"split"}],"static_memory":[0],"time_unit":"ns"}'
    )


@pytest.mark.parametrize(
    "keys",
    [
        {"name": "another"},
        {"name": None},
        {"placement": "linear"},
        {"placement": [0, 1, 2, 3], "chunks": 1},
        {"static_memory": [0, 0, 0, 0.0]},
        {"communication": {"F": [0.527] * 3, "B": 527e-3}},
        {"communication": Decimal("0.5270")},
        {"objective": "makespan"},
        {"stages": [with_memory(12.5, -7.25, -5.25, time=17.5, memory=-12.5, workspace=0)] * 4},
        {"memory_unit": "KiB", "memory_limit": [51200, None, 51200, 51200]}
        | {"stages": with_memory(12800, -7424, -5376, time=17.5)},
    ],
)
def test_ways_of_writing_the_same(keys: dict[str, Any]) -> None:
    """Tests that names, defaults, broadcasting and units make no difference."""
    assert profile_sha256(parse_profile(EXAMPLE | keys)) == profile_sha256(parse_profile(EXAMPLE))


@pytest.mark.parametrize(("unit", "factor"), [("s", "1e-3"), ("us", "1e3"), ("ns", "1e6")])
def test_units_of_time(unit: str, factor: str) -> None:
    """Tests that the same times in another unit are the same problem."""
    times = {"F": "1.25", "B": "0.3", "W": "7"}
    first, second = (
        written(
            time_unit=name,
            stages={op: {"time": Decimal(time) * Decimal(by)} for op, time in times.items()},
        )
        for name, by in (("ms", "1"), (unit, factor))
    )
    assert canonical_bytes(parse_profile(first)) == canonical_bytes(parse_profile(second))


@pytest.mark.parametrize(
    "keys",
    [
        {"microbatches": 9},
        {"objective": "rank_span"},
        {"communication": 0.528},
        {"memory_limit": 50},
        {"static_memory": [0, 0, 0, 1]},
        {"placement": [1, 0, 2, 3]},
    ],
)
def test_other_problems(keys: dict[str, Any]) -> None:
    """Tests that whatever changes the problem changes the hash."""
    assert profile_sha256(parse_profile(EXAMPLE | keys)) != profile_sha256(parse_profile(EXAMPLE))


def test_formats_read_alike(tmp_path: Path) -> None:
    """Tests that JSON, YAML and TOML of the same profile give the same profile."""
    texts = {
        "p.json": '{"schema": "nobubble.profile/1", "time_unit": "ms", "ranks": 2, '
        '"microbatches": 3, "communication": 1e-1, "stages": '
        '{"F": {"time": 10.1}, "B": {"time": 11}, "W": {"time": 8}}}',
        "p.yaml": "schema: nobubble.profile/1\ntime_unit: ms\nranks: 2\nmicrobatches: 3\n"
        "communication: 1e-1\nstages:\n  F: {time: 10.1}\n  B: {time: 11}\n  W: {time: 8}\n",
        "p.toml": 'schema = "nobubble.profile/1"\ntime_unit = "ms"\nranks = 2\nmicrobatches = 3\n'
        "communication = 1e-1\n[stages]\nF.time = 10.1\nB.time = 11\nW.time = 8\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    first, *others = [read_profile(tmp_path / name) for name in texts]
    assert first.stages[0].F.time == 10_100_000
    assert others == [first, first]


@given(profiles())
def test_canonical_form_is_a_profile(profile: Profile) -> None:
    """Tests that the canonical form reads as the same problem, and is its own canonical form."""
    again = parse_profile(canonical_form(profile))
    assert canonical_bytes(again) == canonical_bytes(profile)
    assert again == dataclasses.replace(profile, name=None, time_unit="ns", memory_unit="B")


@given(profiles())
def test_document_is_the_same_profile(profile: Profile) -> None:
    """Tests that a document in the user's units gives the profile back, and rounds nothing."""
    notes: list[str] = []
    assert parse_profile(profile_document(profile), notes=notes) == profile
    assert notes == []


@given(profiles())
def test_document_survives_json(profile: Profile) -> None:
    """Tests that a document that was written and read as JSON gives the profile back."""
    text = json_text(profile_document(profile))
    assert parse_profile(json.loads(text, parse_float=Decimal)) == profile
