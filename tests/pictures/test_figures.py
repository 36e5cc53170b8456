"""Tests of the figures in pictures."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nobubble.pictures import figures
from nobubble.pictures.layout import lay_out
from tests.pictures.documents import MS, document_of, profile_of, stage_of, zb_h1
from tests.pictures.schedules import SCHEDULES


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (0, "0 %"),
        (1, "100 %"),
        (0.1003, "10.03 %"),
        (0.00001, "< 0.01 %"),
        (0.99999, "> 99.99 %"),
        (0.5, "50.00 %"),
    ],
)
def test_a_rate_is_not_rounded_to_none_or_all(rate: float, text: str) -> None:
    """Tests that only what is exactly 0 or 1 reads as 0 or 100 %."""
    assert figures.percent(rate) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0, "0"),
        (2109.851, "2109.851"),
        (29.718000000000004, "29.718"),
        (123456789, "123456789"),
        (0.000002, "0.000002"),
        (-1.5, "-1.5"),
    ],
)
def test_plain_numbers(number: float, text: str) -> None:
    """Tests that numbers have seven digits or all whole ones, and no exponent."""
    assert figures.plain(number, 7) == text


@pytest.mark.parametrize(
    ("time_unit", "scale", "shown"),
    [
        ("ms", 1, "ms"),
        ("ns", 1, "ms"),
        ("us", 1, "ms"),
        ("s", 1, "ms"),
        ("ms", 10_000, "s"),
        ("us", 0.001, "µs"),
    ],
)
def test_the_unit_of_time_is_readable(time_unit: str, scale: float, shown: str) -> None:
    """Tests that the profile's unit is kept while the numbers in it are neither huge nor tiny."""
    stage = stage_of(*(int(time * scale * MS) for time in (10, 11, 9)))
    profile = profile_of([stage] * 2, 4, units=(time_unit, "MiB"))
    document = document_of(profile, zb_h1(2, 4))
    assert figures.time_unit(document, lay_out(document)).name == shown


def test_figures_of_a_schedule() -> None:
    """Tests the figures that head every picture."""
    document = SCHEDULES["rank span"]()
    unit = figures.time_unit(document, lay_out(document))
    said = {one.label: (one.value, one.note) for one in figures.figures(document, unit)}
    assert said["cost"] == ("228 ms", "rank span")
    assert said["lower bound"] == ("100 ms", "cpsat")
    assert said["gap"] == ("56.14 %", "feasible")
    assert said["method"] == ("by-hand", "completed")
    assert "post-validation" in figures.requirement(document)


@given(end=st.floats(1e-6, 1e12), most=st.integers(2, 40))
def test_ticks_are_round_and_few(end: float, most: int) -> None:
    """Tests that an axis begins at 0, ends inside, and has no more marks than asked for."""
    ticks = figures.ticks(end, most)
    assert ticks[0] == 0
    assert ticks[-1] <= end * (1 + 1e-6)
    assert 1 <= len(ticks) <= most
    assert most < 4 or len(ticks) > most / 3


def test_stages_in_short() -> None:
    """Tests that neighbouring stages are written as a range."""
    assert figures.stage_list([0, 1, 2, 5, 7, 8]) == "0-2, 5, 7-8"
