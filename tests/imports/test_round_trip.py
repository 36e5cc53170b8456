"""Tests that a schedule which was exported comes back as it was."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nobubble.exports import FORMATS, export
from nobubble.imports import import_schedule, table_of_text
from nobubble.profile.reading import parse_profile
from nobubble.solve import solve
from tests.published import case_profile, search_cases
from tests.verifier.examples import read_back, schedules

SAME = ("profile", "profile_sha256", "objective", "requires", "cost", "metrics", "placement",
        "ranks")  # fmt: skip


def round_trip(document: Any, name: str) -> Any:
    """Give the document that comes of importing an exported schedule."""
    table = table_of_text(export(document, name))
    return read_back(import_schedule(table, parse_profile(document["profile"])).document)


@given(schedules(), st.sampled_from(sorted(FORMATS)))
def test_any_schedule(document: Any, name: str) -> None:
    """Tests that order, transfers, times, memory and cost are the same."""
    again = round_trip(document, name)
    assert {key: again[key] for key in SAME} == {key: document[key] for key in SAME}


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_solved_schedule(name: str) -> None:
    """Tests that the bound comes back too where it is in closed form."""
    case = search_cases()[0]
    document: Any = solve(case_profile(case, "makespan"), method="greedy")
    document = read_back(document)
    again = round_trip(document, name)
    for key in (*SAME, "lower_bound", "bound", "gap", "status"):
        assert again[key] == document[key], key
