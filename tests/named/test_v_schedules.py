"""The named schedules of V placement: the published figures, any p and m, and their memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nobubble.errors import MethodError
from nobubble.named import NAMED_ORDERS
from nobubble.problem import KINDS, Problem
from nobubble.solve import solve
from nobubble.timing import time_of
from nobubble.verifier.verify import verify
from tests.bounds.problems import v_rows
from tests.published import HALF, V_UNIT, bubble, uniform, v, v_family, v_row_profile
from tests.strategies import profiles

MICROBATCHES = {
    "zb-v": lambda p: p,
    "v-half": lambda p: (p + 2) // 2,
    "v-min": lambda p: (p + 4) // 3,
}
"""How many microbatches, with both chunks, each holds at most."""


@pytest.mark.parametrize("row", v_rows(), ids=lambda row: f"p{row['ranks']}-m{row['microbatches']}")
def test_zb_v_has_the_published_bubbles(row: dict[str, Any]) -> None:
    """Tests the nine cells of the paper's table to four decimals, as rank span, in its memory."""
    profile = v_row_profile(row, objective="rank_span")
    problem = Problem.of(profile)
    timing = time_of(problem, NAMED_ORDERS["zb-v"](problem))
    assert round(bubble(profile, timing.rank_span), 4) == row["bubble"]["zb-v"]
    assert timing.peak_memory.max() == problem.capacity[0]


@pytest.mark.parametrize(("ranks", "microbatches"), list(v_family()))
@pytest.mark.parametrize("name", ["v-half", "v-min"])
def test_v_half_and_v_min_have_the_published_bubbles_and_peaks(
    name: str, ranks: int, microbatches: int
) -> None:
    """Tests equal times and next to no communication, for both objectives."""
    published, peak = v_family()[ranks, microbatches][name]
    profile = v(uniform(ranks, microbatches, V_UNIT, 1, chunks=2))
    problem = Problem.of(profile)
    timing = time_of(problem, NAMED_ORDERS[name](problem))
    assert round(bubble(profile, timing.makespan), 4) == published
    assert round(bubble(profile, timing.rank_span), 4) == published
    assert timing.peak_memory.max() == 4 * HALF * peak


@pytest.mark.parametrize("name", list(MICROBATCHES))
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13])
def test_any_number_of_microbatches_keeps_to_the_memory(name: str, ranks: int) -> None:
    """Tests fewer microbatches than ranks, as many, and no multiple of them."""
    for microbatches in (1, 2, 3, ranks, ranks + 1, 2 * ranks, 3 * ranks + 1):
        problem = Problem.of(v(uniform(ranks, microbatches, (7, 8, 5), 2, chunks=2)))
        timing = time_of(problem, NAMED_ORDERS[name](problem))
        holds = min(microbatches, MICROBATCHES[name](ranks))
        assert timing.peak_memory.max() <= 4 * HALF * holds


def test_the_definitions_on_two_ranks() -> None:
    """Tests two microbatches on a V of two ranks, letter by letter."""
    problem = Problem.of(v(uniform(2, 2, (1, 1, 1), chunks=2)))

    def text(name: str) -> list[str]:
        order = NAMED_ORDERS[name](problem)
        return [
            " ".join(KINDS[letter % 4] + str(letter // 4) for letter in order.of_rank(rank))
            for rank in range(2)
        ]

    assert text("zb-v") == [
        "F0 F0 F3 B3 F3 B3 B0 W3 B0 W3 W0 W0",
        "F1 F2 F1 F2 B2 B1 B2 B1 W2 W1 W2 W1",
    ]
    assert text("v-half") == [
        "F0 F0 F3 B3 W3 F3 B0 B3 W3 W0 B0 W0",
        "F1 F2 F1 F2 B2 W2 B1 W1 B2 W2 B1 W1",
    ]
    assert text("v-min") == [
        "F0 F0 F3 B3 W3 B0 W0 F3 B3 W3 B0 W0",
        "F1 F2 B2 B1 F1 F2 W2 W1 B2 B1 W2 W1",
    ]


@pytest.mark.parametrize("name", list(MICROBATCHES))
@given(data=st.data())
def test_they_run_on_any_v_profile(name: str, data: st.DataObject) -> None:
    """Tests that any times, memories and microbatches give what the verifier accepts."""
    placement = st.integers(1, 5).map(lambda p: (*range(p), *reversed(range(p))))
    profile = data.draw(profiles(of_placement=placement))
    assert verify(solve(profile, method=name)) == []


@pytest.mark.parametrize("name", list(MICROBATCHES))
def test_they_refuse_other_placements(name: str) -> None:
    """Tests that the placement at hand is named, and what to take instead."""
    with pytest.raises(MethodError) as caught:
        solve(uniform(2, 3, (1, 1, 1), chunks=2), method=name)
    assert str(caught.value) == (
        f"{name} is made for V placement (stages s and 2p - 1 - s on rank s); this profile has "
        "4 stages on 2 ranks, placed [0, 1, 0, 1]. Take --method auto, or two stages a rank with "
        '"placement": "v".'
    )


def test_a_short_v_is_no_v() -> None:
    """Tests that a V without its last stage is refused too."""
    profile = v(uniform(3, 3, (1, 1, 1), chunks=2))
    short = replace(
        profile,
        placement=profile.placement[:-1],
        stages=profile.stages[:-1],
        communication_forward=profile.communication_forward[:-1],
        communication_backward=profile.communication_backward[:-1],
    )
    with pytest.raises(MethodError):
        solve(short, method="zb-v")
