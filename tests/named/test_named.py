"""The named schedules: their definitions, the published figures, and any m and S."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nobubble.errors import InfeasibleError, MethodError
from nobubble.methods import NAMED_SCHEDULES
from nobubble.named import NAMED_ORDERS, named_order
from nobubble.order import Order
from nobubble.problem import KINDS, Problem
from nobubble.solve import solve
from nobubble.timing import time_of
from nobubble.verifier.verify import verify
from tests.published import (
    HALF,
    INTERLEAVED_CHUNKS,
    bubble,
    row_name,
    row_profile,
    table_rows,
    uniform,
)
from tests.strategies import profiles


def strings(order: Order) -> list[str]:
    """Write an order as text, stages as digits where a rank has several."""
    rows = [order.of_rank(rank).tolist() for rank in range(len(order.offsets) - 1)]
    several = any(len({letter // 4 for letter in row}) > 1 for row in rows)
    return [
        " ".join(KINDS[letter % 4] + (str(letter // 4) if several else "") for letter in row)
        for row in rows
    ]


def test_every_name_has_an_order() -> None:
    """Tests that `--method` offers exactly the schedules that exist."""
    assert tuple(NAMED_ORDERS) == NAMED_SCHEDULES


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpipe", ["F F F BW BW BW"] * 3),
        ("1f1b", ["F F F BW BW BW", "F F BW F BW BW", "F BW F BW F BW"]),
        ("zb-h1", ["F F F B W B W B W", "F F B F B W B W W", "F B F B F B W W W"]),
        ("zb-h2", ["F F F B W B W B W", "F F F B B B W W W", "F B F B F B W W W"]),
    ],
)
def test_three_ranks_with_three_microbatches(name: str, expected: list[str]) -> None:
    """Tests the definitions on a small case."""
    assert strings(NAMED_ORDERS[name](Problem.of(uniform(3, 3, (1, 1, 1))))) == expected


def test_interleaved_takes_microbatches_in_groups_through_the_chunks() -> None:
    """Tests the definition on 2 ranks with 2 chunks, and with a group that is not full."""
    four = Problem.of(uniform(2, 4, (1, 1, 1), chunks=2))
    assert strings(NAMED_ORDERS["interleaved-1f1b"](four)) == [
        "F0 F0 F2 F2 F0 BW2 F0 BW2 F2 BW0 F2 BW0 BW2 BW2 BW0 BW0",
        "F1 F1 F3 BW3 F3 BW3 F1 BW1 F1 BW1 F3 BW3 F3 BW3 BW1 BW1",
    ]
    three = Problem.of(uniform(2, 3, (1, 1, 1), chunks=2))
    assert strings(NAMED_ORDERS["interleaved-1f1b"](three)) == [
        "F0 F0 F2 F2 F0 BW2 BW2 F2 BW0 BW0 BW2 BW0",
        "F1 F1 F3 BW3 F3 BW3 F1 BW1 BW1 F3 BW3 BW1",
    ]


def test_interleaved_takes_larger_groups_one_chunk_at_a_time() -> None:
    """Tests that 4 microbatches go through chunk 0 before chunk 1 begins."""
    four = Problem.of(uniform(2, 4, (1, 1, 1), chunks=2))
    assert strings(named_order(four, "interleaved-1f1b:4")) == [
        "F0 F0 F0 F0 F2 F2 F2 BW2 F2 BW2 BW2 BW2 BW0 BW0 BW0 BW0",
        "F1 F1 F1 F1 F3 BW3 F3 BW3 F3 BW3 F3 BW3 BW1 BW1 BW1 BW1",
    ]
    assert strings(named_order(four, "interleaved-1f1b:9")) == (
        strings(named_order(four, "interleaved-1f1b:4"))
    )


def test_a_group_smaller_than_the_ranks_makes_bubbles_and_takes_less_memory() -> None:
    """Tests 8 ranks of 3 chunks: the fewer in a group, the longer it takes, and the less it holds.

    As much as a rank may hold is in flight: 2(p - 1) + (v - 1)G F's before the first BW, and one.
    """
    problem = Problem.of(uniform(8, 24, (10, 10, 10), 1, chunks=3))
    timings = {
        group: time_of(problem, named_order(problem, f"interleaved-1f1b:{group}"))
        for group in (1, 2, 4, 8)
    }
    spans = [timings[group].makespan for group in (1, 2, 4, 8)]
    peaks = [int(timings[group].peak_memory.max()) for group in (1, 2, 4, 8)]
    assert spans == sorted(spans, reverse=True)
    assert peaks == sorted(peaks)
    assert all(
        peak <= 2 * HALF * (2 * 7 + 2 * group + 1)
        for group, peak in zip((1, 2, 4, 8), peaks, strict=True)
    )
    assert spans[0] > 2 * spans[-1]
    assert (
        timings[8].makespan == time_of(problem, named_order(problem, "interleaved-1f1b")).makespan
    )


@pytest.mark.parametrize("name", ["interleaved-1f1b:0", "interleaved-1f1b:04", "1f1b:2", "zb-v:2"])
def test_other_group_sizes_are_no_methods(name: str) -> None:
    """Tests that a group is a number from 1, and of interleaved-1f1b only."""
    with pytest.raises(MethodError, match="there is no method"):
        solve(uniform(2, 4, (1, 1, 1), chunks=2), method=name)


def test_the_group_stands_in_the_schedule() -> None:
    """Tests that a schedule names its group size, and is verified as a named one."""
    document = solve(uniform(2, 4, (1, 1, 1), chunks=2), method="interleaved-1f1b:1")
    assert document["method"] == "interleaved-1f1b:1"
    assert document["generator"]["options"]["method"] == "interleaved-1f1b:1"
    assert verify(document) == []


@pytest.mark.parametrize("row", table_rows(), ids=row_name)
@pytest.mark.parametrize("name", ["1f1b", "zb-h1", "zb-h2"])
def test_the_published_bubbles_come_out(name: str, row: dict[str, Any]) -> None:
    """Tests 36 cells of the paper's table to its four decimals, as rank span."""
    profile = row_profile(row, None, objective="rank_span")
    timing = time_of(Problem.of(profile), NAMED_ORDERS[name](Problem.of(profile)))
    assert round(bubble(profile, timing.rank_span), 4) == row["bubble"][name]


@pytest.mark.parametrize("row", table_rows(), ids=row_name)
def test_published_interleaved_bubbles_lack_one_latency_a_rank(row: dict[str, Any]) -> None:
    """Tests that the printed values count (2v - 1)p - 2 latencies where 2vp - 2 pass."""
    profile = row_profile(row, None, chunks=INTERLEAVED_CHUNKS[row["model"]], objective="rank_span")
    timing = time_of(Problem.of(profile), NAMED_ORDERS["interleaved-1f1b"](Problem.of(profile)))
    lacking = row["ranks"] * profile.communication_forward[0]
    assert (
        round(bubble(profile, timing.rank_span - lacking), 4) == row["bubble"]["interleaved-1f1b"]
    )
    assert timing.rank_span == timing.makespan


@pytest.mark.parametrize(
    ("name", "microbatches"), [("1f1b", 8), ("zb-h1", 8), ("zb-h2", 15), ("gpipe", 20)]
)
def test_peak_memory_in_microbatches(name: str, microbatches: int) -> None:
    """Tests what each schedule holds on 8 ranks: its memory, and not a byte less."""
    profile = uniform(8, 20, (10, 10, 10), limit=2 * HALF * microbatches)
    assert solve(profile, method=name)["metrics"]["ranks"][0]["peak_memory"] == (
        2 * HALF * microbatches
    )
    tight = replace(profile, memory_limit=(2 * HALF * microbatches - 1,) * 8)
    with pytest.raises(InfeasibleError) as caught:
        solve(tight, method=name)
    holds = 2 * HALF * microbatches
    assert str(caught.value) == (
        f"{name} holds {holds} B on rank 0, 1 B over its limit of {holds - 1} B. Raise the limit, "
        "take --method auto, or see it with --ignore-memory-limit."
    )
    assert (caught.value.rank, caught.value.needed) == (0, holds)
    assert solve(tight, method=name, ignore_memory_limit=True)["profile"]["memory_limit"] == (
        [None] * 8
    )


@pytest.mark.parametrize("name", ["1f1b", "zb-h1", "zb-h2"])
@given(data=st.data())
def test_linear_ones_run_on_any_linear_profile(name: str, data: st.DataObject) -> None:
    """Tests that any p and m, and any stages, give a schedule that the verifier accepts."""
    linear = st.integers(1, 5).map(lambda ranks: tuple(range(ranks)))
    profile = data.draw(profiles(of_placement=linear))
    assert verify(solve(profile, method=name)) == []


@given(st.data())
def test_interleaved_runs_on_any_number_of_stages_and_microbatches(data: st.DataObject) -> None:
    """Tests that neither m nor S needs to be a multiple of p, nor m of the group."""
    interleaved = st.integers(1, 5).flatmap(
        lambda p: st.integers(p + 1, 4 * p + 1).map(lambda n: tuple(s % p for s in range(n)))
    )
    profile = data.draw(profiles(of_placement=interleaved))
    assert verify(solve(profile, method="interleaved-1f1b")) == []
    group = data.draw(st.integers(1, 8))
    assert verify(solve(profile, method=f"interleaved-1f1b:{group}")) == []


@given(profiles())
def test_gpipe_runs_on_any_placement(profile: Any) -> None:
    """Tests that gpipe asks nothing of the placement."""
    assert verify(solve(profile, method="gpipe")) == []


@pytest.mark.parametrize("name", ["1f1b", "zb-h1", "zb-h2", "zb-auto"])
def test_linear_ones_refuse_other_placements(name: str) -> None:
    """Tests that the placement at hand is named, and what to take instead."""
    profile = replace(uniform(2, 3, (1, 1, 1), chunks=2), placement=(0, 1, 1, 0))
    with pytest.raises(MethodError) as caught:
        solve(profile, method=name)
    assert str(caught.value) == (
        f"{name} is made for linear placement (stage s on rank s); this profile has 4 stages on "
        "2 ranks, placed [0, 1, 1, 0]. Take --method auto, or a profile with one stage a rank."
    )


@pytest.mark.parametrize(
    ("placement", "advice"), [((0, 1), ", or 1f1b for one stage a rank."), ((0, 1, 1, 0), ".")]
)
def test_interleaved_refuses_other_placements(placement: tuple[int, ...], advice: str) -> None:
    """Tests that one stage a rank, and V, are refused."""
    chunks = len(placement) // 2
    profile = replace(uniform(2, 3, (1, 1, 1), chunks=chunks), placement=placement)
    with pytest.raises(MethodError) as caught:
        solve(profile, method="interleaved-1f1b")
    assert str(caught.value) == (
        "interleaved-1f1b is made for interleaved placement (stage s on rank s mod p) with more "
        f"stages than ranks; this profile has {len(placement)} stages on 2 ranks, placed "
        f"{list(placement)}. Take --method auto{advice}"
    )


def test_a_named_schedule_is_never_below_its_bound() -> None:
    """Tests that a fused schedule of a split profile is bounded with fusing allowed.

    Here BW is so cheap that 1F1B beats every split schedule.
    """
    profile = uniform(2, 4, (10, 10, 10))
    cheap = replace(profile.stages[0], BW=replace(profile.stages[0].BW, time=5))
    document = solve(replace(profile, stages=(cheap, cheap)), method="1f1b")
    assert document["cost"] == 75
    assert document["lower_bound"] == 75
    assert solve(replace(profile, stages=(cheap, cheap)))["lower_bound"] > 75
