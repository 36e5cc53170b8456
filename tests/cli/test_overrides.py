"""Tests that options stand in for the profile's keys, exactly as written."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nobubble_cli.overrides import overrides, read_profile_with
from tests.cli.running import Run


def test_no_option_overrides_nothing() -> None:
    """Tests that the profile's own keys stay."""
    assert overrides(None, None, None, None) == {}


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("9920", 9920),
        ("0.1", Decimal("0.1")),
        ("1.5e3", Decimal("1500")),
        (".5", Decimal("0.5")),
        ("none", None),
        ("20, 20,16.5", [20, 20, Decimal("16.5")]),
        ("20,none", [20, None]),
    ],
)
def test_memory_limits(text: str, limit: object) -> None:
    """Tests a number, a list, and no limit."""
    assert overrides(None, None, text, None) == {"memory_limit": limit}


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12))
def test_memory_limits_are_exact(limit: Decimal) -> None:
    """Tests that no digit is lost to a float."""
    assert overrides(None, None, str(limit), None) == {"memory_limit": limit}


@pytest.mark.parametrize(
    ("text", "placement"),
    [("linear", "linear"), ("v", "v"), ("0,1,1,0", [0, 1, 1, 0]), ("0", [0])],
)
def test_placements(text: str, placement: object) -> None:
    """Tests a name and a list."""
    assert overrides(None, None, None, text) == {"placement": placement}


def test_the_profile_is_read_with_them(profile_path: Path) -> None:
    """Tests that every override arrives in the complete profile."""
    keys = overrides("rank_span", 7, "70,none,80.5", "2,1,0")
    profile = read_profile_with(str(profile_path), keys)
    assert profile.objective == "rank_span"
    assert profile.microbatches == 7
    assert profile.placement == (2, 1, 0)
    mib = 2**20
    assert profile.memory_limit == (70 * mib, None, 161 * mib // 2)


@pytest.mark.parametrize("command", ["solve", "bound"])
def test_rounding_is_noted_on_stderr(
    command: str, profile_path: Path, small: dict[str, Any], run: Run
) -> None:
    """Tests that figures finer than a nanosecond are rounded, and that the user is told."""
    small["communication"] = 0.12345678
    profile_path.write_text(json.dumps(small))
    outcome = run(command, profile_path)
    assert outcome.code == 0
    assert outcome.err.startswith("note: ")
    json.loads(outcome.out)
