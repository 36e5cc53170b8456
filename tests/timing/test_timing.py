"""The earliest times of an order."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nobubble.order import Order, letter
from nobubble.problem import BW, B, F, Problem, W
from nobubble.profile.model import Cost, Profile, Stage
from nobubble.timing import CircularOrderError, time_of
from tests.published import uniform
from tests.strategies import orders, profiles
from tests.timing.plain import plain_timing


def two_ranks(placement: tuple[int, ...] = (0, 1)) -> Profile:
    """Two stages, F, B, W of 3, 4 and 2; 10 ns forward and 20 ns back; one microbatch."""
    stage = Stage(Cost(3, 8, 1), Cost(4, 2, 5), Cost(2, -10), Cost(5, -8, 7), "auto")
    return Profile(
        name=None,
        time_unit="ns",
        memory_unit="B",
        ranks=max(placement) + 1,
        microbatches=1,
        placement=placement,
        stages=(stage, stage),
        communication_forward=(10,),
        communication_backward=(20,),
        memory_limit=(None,) * (max(placement) + 1),
        static_memory=(100,) * (max(placement) + 1),
    )


def test_ops_start_when_their_inputs_have_travelled() -> None:
    """Tests that each direction of a link has its own latency."""
    order = Order.of([[letter(0, k) for k in (F, B, W)], [letter(1, k) for k in (F, B, W)]])
    timing = time_of(Problem.of(two_ranks()), order)
    assert timing.start.tolist() == [0, 40, 44, 13, 16, 20]
    assert timing.end.tolist() == [3, 44, 46, 16, 20, 22]
    assert timing.makespan == 46
    assert timing.rank_span == 46


def test_nothing_travels_inside_a_rank() -> None:
    """Tests that communication between stages of one rank costs nothing."""
    kinds = [(0, F), (1, F), (1, BW), (0, BW)]
    timing = time_of(Problem.of(two_ranks((0, 0))), Order.of([[letter(*k) for k in kinds]]))
    assert timing.start.tolist() == [0, 3, 6, 11]
    assert timing.makespan == 16


def test_rank_span_leaves_out_what_a_rank_waits_for_its_first_op() -> None:
    """Tests that a rank that starts late may end late."""
    profile = uniform(2, 1, (10, 10, 10))
    order = Order.of([[letter(r, k) for k in (F, B, W)] for r in range(2)])
    timing = time_of(Problem.of(profile), order)
    assert timing.first_start.tolist() == [0, 10]
    assert timing.last_end.tolist() == [50, 40]
    assert (timing.makespan, timing.rank_span) == (50, 50)
    late_w = replace(profile, stages=(profile.stages[0], Stage(*(Cost(30),) * 4)))
    timing = time_of(Problem.of(late_w), order)
    assert timing.last_end.tolist() == [90, 100]
    assert (timing.makespan, timing.rank_span) == (100, 90)


def test_memory_counts_workspace_while_the_op_runs() -> None:
    """Tests that an increase counts from the start of an op, a decrease from its end."""
    split = Order.of([[letter(0, k) for k in (F, B, W)], [letter(1, F), letter(1, BW)]])
    timing = time_of(Problem.of(two_ranks()), split)
    # Static 100; F holds 8 (and 1), B adds 2 (and 5): 115. BW needs 7 beside the 8 of F.
    assert timing.peak_memory.tolist() == [115, 115]
    roomy = replace(two_ranks(), static_memory=(0, 7))
    assert time_of(Problem.of(roomy), split).peak_memory.tolist() == [15, 22]


def test_a_circle_is_named() -> None:
    """Tests that ops that wait for each other are listed in the order of waiting."""
    problem = Problem.of(uniform(2, 2, (1, 1, 1)))
    order = Order.of(
        [
            [letter(0, k) for k in (F, B, F, B, W, W)],
            [letter(1, k) for k in (F, F, B, B, W, W)],
        ]
    )
    with pytest.raises(CircularOrderError) as caught:
        time_of(problem, order)
    assert str(caught.value) == (
        "these ops wait for each other in a circle: B(0, 0) on rank 0 for B(1, 0) on rank 1, "
        "that for F(1, 1) on rank 1, that for F(0, 1) on rank 0, that for B(0, 0) on rank 0"
    )


@pytest.mark.parametrize("kinds", [(B, F, W), (F, W, B)])
def test_an_op_before_its_input_on_the_same_rank_is_a_circle(kinds: tuple[int, ...]) -> None:
    """Tests that B before F, and W before B, are circles of two."""
    with pytest.raises(CircularOrderError) as caught:
        time_of(Problem.of(uniform(1, 1, (1, 1, 1))), Order.of([[letter(0, k) for k in kinds]]))
    assert len(caught.value.circle) == 2


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0, 1, 2]], "the order has 1 ranks, not 2"),
        ([[0, 1, 2], [4, 5, 6, 9]], "stages are 0 to 1; the order has another"),
        ([[0, 1, 2, 4], [5, 6]], "rank 0 runs F of stage 1, which is on rank 1"),
        ([[0, 0, 1, 2], [4, 5, 6]], "stage 0 has 2 F for 1 microbatches"),
        ([[0, 2], [4, 5, 6]], "stage 0 has 0 B and 0 BW for 1 microbatches"),
        ([[0, 1, 2], [4, 5, 7, 6]], "stage 1 has 1 B and 1 BW for 1 microbatches"),
        ([[0, 1], [4, 5, 6]], "stage 0 has 0 W for 1 B"),
    ],
)
def test_an_order_must_hold_every_op_once(rows: list[list[int]], message: str) -> None:
    """Tests that the first stage and kind that are wrong are named."""
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        time_of(Problem.of(uniform(2, 1, (1, 1, 1))), Order.of(rows))


@given(st.data())
def test_timing_is_what_its_definition_says(data: st.DataObject) -> None:
    """Tests times and peaks against the plain definition, on any placement and backward."""
    profile = data.draw(profiles())
    problem = Problem.of(profile)
    order = data.draw(orders(problem))
    timing, plain = time_of(problem, order), plain_timing(profile, order)
    assert timing.start.tolist() == plain.start
    assert timing.end.tolist() == plain.end
    assert timing.peak_memory.tolist() == plain.peak_memory
    rows = [range(order.offsets[r], order.offsets[r + 1]) for r in range(profile.ranks)]
    assert timing.makespan == max(plain.end) - min(plain.start)
    assert timing.rank_span == max(plain.end[row[-1]] - plain.start[row[0]] for row in rows)


@given(st.data(), st.integers(1, 1000))
def test_scaling_all_times_scales_the_cost(data: st.DataObject, factor: int) -> None:
    """Tests that the unit of time does not matter."""
    problem = Problem.of(data.draw(profiles()))
    order = data.draw(orders(problem))
    scaled = replace(
        problem,
        time=problem.time * factor,
        forward_latency=problem.forward_latency * factor,
        backward_latency=problem.backward_latency * factor,
    )
    assert time_of(scaled, order).makespan == factor * time_of(problem, order).makespan
    assert time_of(scaled, order).rank_span == factor * time_of(problem, order).rank_span
