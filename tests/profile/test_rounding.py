"""Tests that figures are rounded as the format says, and never in silence."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from nobubble.profile.reading import parse_profile
from tests.profile.examples import ONE_STAGE, with_memory, written


def notes_of(data: dict[str, Any]) -> list[str]:
    """Give the notes that reading makes."""
    notes: list[str] = []
    parse_profile(data, notes=notes)
    return notes


def test_whole_figures_make_no_note() -> None:
    """Tests that nothing is said where nothing is lost."""
    assert notes_of(written(communication=0.123456, memory_unit="B", memory_limit=3)) == []


def test_times_go_to_the_nearest_nanosecond() -> None:
    """Tests that times are rounded, counted, and the largest loss named."""
    stages = [ONE_STAGE] * 3 + [{**ONE_STAGE, "F": {"time": 1.00000067}}]
    data = written(stages=stages, communication={"F": 0.0000002, "B": [0, 0.00000025, 0]})
    assert parse_profile(data).stages[3].F.time == 1_000_001
    assert notes_of(data) == [
        "3 times were rounded to whole nanoseconds, the largest by 0.33 ns (/stages/3/F/time)"
    ]


def test_one_figure_for_all_counts_once() -> None:
    """Tests that a figure that stands once is told once, however many stages it is for."""
    assert notes_of(written(communication=0.0000004)) == [
        "1 time was rounded to whole nanoseconds, by 0.4 ns (/communication)"
    ]


def test_limit_goes_down_static_memory_and_workspace_up() -> None:
    """Tests that rounding never lets a schedule use memory that is not there."""
    stage = {**ONE_STAGE, "F": {"time": 10, "workspace": 0.2}, "BW": {"workspace": 1.1}}
    data = written(memory_unit="B", memory_limit=7.9, static_memory=2.1, stages=stage)
    profile = parse_profile(data)
    assert profile.memory_limit == (7,) * 4
    assert profile.static_memory == (3,) * 4
    assert profile.stages[0].F.workspace == 1
    assert profile.stages[0].BW.workspace == 2
    assert notes_of(data) == [
        "4 memory figures were rounded to whole bytes, the largest by 0.9 B (/stages/BW/workspace)"
    ]


def test_weight_takes_what_rounding_leaves() -> None:
    """Tests that W's bytes make the sum zero where F's and B's are rounded."""
    stage = with_memory(10.4, -5.2, -5.2, memory=-10.4)
    data = written(memory_unit="B", stages=stage)
    made = parse_profile(data).stages[0]
    assert (made.F.memory, made.B.memory, made.W.memory, made.BW.memory) == (10, -5, -5, -10)
    assert len(notes_of(data)) == 1


def test_one_line_for_times_and_memory() -> None:
    """Tests that both kinds of rounding share a line."""
    data = written(communication=0.0000004, memory_unit="B", memory_limit=[1, 1, 1, 2.5])
    assert notes_of(data) == [
        "1 time was rounded to whole nanoseconds, by 0.4 ns (/communication); "
        "1 memory figure was rounded to whole bytes, by 0.5 B (/memory_limit/3)"
    ]


DECIMALS = st.decimals(0, 1000, places=12)


@given(held=DECIMALS, share=st.decimals(-1, 1, places=6), unit=st.sampled_from(["B", "KB", "KiB"]))
def test_memory_always_adds_up(held: Decimal, share: Decimal, unit: str) -> None:
    """Tests that bytes add up to zero and stay in range, whatever is written."""
    change = held * share
    profile = parse_profile(
        written(memory_unit=unit, stages=with_memory(held, change, -(held + change)))
    )
    stage = profile.stages[0]
    assert stage.F.memory + stage.B.memory + stage.W.memory == 0
    assert stage.F.memory + stage.BW.memory == 0
    assert stage.F.memory >= 0
    assert stage.F.memory + stage.B.memory >= 0
