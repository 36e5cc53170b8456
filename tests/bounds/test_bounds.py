"""Tests that every bound says what its argument says, and how bounds change with the problem."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nobubble.bounds.best import best_bound, lower_bounds
from nobubble.bounds.bound import Bound
from nobubble.problem import UNLIMITED, Problem
from tests.bounds.instances import needed, random_problem
from tests.bounds.problems import linear

NAMES = ["busy", "warm-up", "chain", "two-ended", "cascade", "in-flight", "area", "meeting"]


def _values(problem: Problem) -> dict[str, int]:
    return {bound.name: bound.value for bound in lower_bounds(problem)}


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    rng = random.Random(draw(st.integers(0, 2**32)))
    objective = draw(st.sampled_from(["makespan", "rank_span"]))
    return random_problem(rng, objective, most_ops=150)  # type: ignore[arg-type]


def test_busy_is_the_work_of_the_busiest_rank_after_its_head() -> None:
    problem = linear(microbatches=4, times=[(1, 2, 3), (2, 2, 3)], latency=5)
    assert _values(problem)["busy"] == 6 + 4 * 7
    assert _values(replace(problem, objective="rank_span"))["busy"] == 4 * 7


def test_warm_up_counts_the_wait_for_the_first_backward() -> None:
    # Rank 0 waits 5 + 3 + 5 for the first backward and may hold 2 microbatches: one F of 1 more.
    problem = linear(
        microbatches=4,
        times=[(1, 1, 1), (3, 3, 0)],
        memories=[(2, -1, -1)] * 2,
        capacity=[4, 100],
        latency=5,
        objective="rank_span",
    )
    assert _values(problem)["warm-up"] == 4 * 3 + (1 + 5 + 3 + 3 + 5 - 2 * 1)
    assert _values(replace(problem, capacity=np.array([2, 100])))["warm-up"] == 12 + 17 - 1


def test_chain_goes_to_the_busy_stage_and_back() -> None:
    problem = linear(microbatches=5, times=[(1, 1, 1), (4, 4, 4)], latency=2, objective="rank_span")
    # To stage 1: 1 + 2; there 5 (F + B), with every W put off; back: 2 + 1; W of stage 0: 1.
    assert _values(problem)["chain"] == 3 + 5 * 8 + 3 + 1


def test_chain_counts_the_weights_that_memory_forces() -> None:
    problem = linear(
        microbatches=5,
        times=[(1, 1, 1), (4, 4, 4)],
        memories=[(2, -1, -1)] * 2,
        capacity=[100, 4],
        latency=2,
        objective="rank_span",
    )
    # Beside the last microbatch, 2 pending W's fit at the start of the last backward: two wait.
    assert _values(problem)["chain"] == 3 + 5 * 8 + 2 * 4 + 3 + 1


def test_two_ended_adds_the_idle_time_at_both_ends() -> None:
    # One microbatch at a time, on both ranks.
    problem = linear(
        microbatches=2,
        times=[(1, 1, 1), (1, 1, 1)],
        memories=[(2, -1, -1)] * 2,
        capacity=[2, 2],
        objective="rank_span",
    )
    assert _values(problem)["two-ended"] == 10
    assert _values(problem)["warm-up"] == 6 + 2


def test_cascade_knows_that_forwards_before_a_backward_are_whole() -> None:
    # Rank 1 waits 32 for its first backward: 2 idle after 3 F's, or a fourth F. Rank 0 then waits
    # 54 or 62: 6 F's have room for the first, the second takes a seventh or 2 idle.
    problem = linear(
        microbatches=20,
        times=[(10, 10, 5)] * 3,
        memories=[(2, -1, -1)] * 3,
        capacity=[12, 100, 100],
        latency=1,
        objective="rank_span",
    )
    assert _values(problem)["cascade"] == 20 * 25 + 2
    assert best_bound(problem).name == "cascade"
    assert _values(replace(problem, capacity=np.array([14, 100, 100])))["cascade"] == 20 * 25


def test_cascade_needs_first_starts_that_are_known() -> None:
    problem = linear(microbatches=3, times=[(1, 1, 1)] * 3)
    # Stages 0 and 1 on rank 0, which can begin its second F's before stage 1 has passed the first.
    problem = replace(
        problem, ranks=2, rank_of=np.array([0, 0, 1]), capacity=problem.capacity[:2],
        static_memory=problem.static_memory[:2],
    )  # fmt: skip
    assert "cascade" in _values(problem)
    assert "cascade" not in _values(replace(problem, objective="rank_span"))


def test_in_flight_counts_round_trips_one_after_another() -> None:
    problem = linear(
        microbatches=6,
        times=[(1, 1, 0), (1, 1, 0)],
        memories=[(1, -1, 0)] * 2,
        capacity=[2, 2],
        latency=10,
        objective="rank_span",
    )
    # Three pairs: a round trip of 24 for each, but the last takes 2 + 20 + 4: F F B B on rank 1.
    assert _values(problem)["in-flight"] == 2 * 24 + 26


def test_meeting_finds_two_streams_in_the_way_of_each_other() -> None:
    # Two in flight. On rank 0 an F waits for a B and its W, so comes 26 after the one before. For
    # neither of the two to wait on the ranks above it would have to be 20 to 22, or 42 to 44.
    problem = linear(
        microbatches=8,
        times=[(10, 10, 6)] * 4,
        memories=[(2, -1, -1)] * 4,
        capacity=[4] * 4,
        latency=1,
        objective="rank_span",
    )
    values = _values(problem)
    trip = 4 * 20 + 6
    assert values["in-flight"] == 4 * (trip + 6) + 26
    # W less the 2 of both links, of the two pairs in the middle.
    assert values["meeting"] == values["in-flight"] + 2 * (6 - 2)
    assert best_bound(problem).name == "meeting"


def test_area_divides_the_memory_held_by_the_capacity() -> None:
    problem = linear(
        microbatches=3,
        times=[(2, 3, 4)],
        memories=[(6, -4, -2)],
        capacity=[7],
        objective="rank_span",
    )
    assert _values(problem)["area"] == -(-3 * (6 * 5 + 2 * 4) // 7)


def test_backward_waits_for_the_weights_that_its_memory_needs() -> None:
    # B adds 2 to the 1 of F: beside one pending (3) there is no room for another B (1 + 2).
    problem = linear(
        microbatches=3,
        times=[(1, 1, 5), (1, 1, 0)],
        memories=[(1, 2, -3), (0, 0, 0)],
        capacity=[5, 5],
        latency=10,
        objective="rank_span",
    )
    # Three times, one after the other, B and W; the first after its round trip without B.
    assert _values(problem)["in-flight"] == 23 + 3 * 6


def test_a_way_of_running_backward_that_memory_rules_out_does_not_count() -> None:
    split = linear(microbatches=2, times=[(0, 0, 0)], memories=[(1, 3, -4)], capacity=[2])
    # BW takes 2, but B on its own needs 4.
    either = replace(split, time=np.array([[0, 0, 0, 2]]), may_fuse=np.array([True]))
    assert best_bound(either) == Bound("busy", 4)
    assert best_bound(replace(either, capacity=np.array([4]))).value == 0


def test_memory_bounds_need_a_limit() -> None:
    unlimited = linear(microbatches=3, times=[(1, 1, 1)])
    assert list(_values(unlimited)) == NAMES[:5]
    assert list(_values(replace(unlimited, capacity=np.array([0])))) == NAMES


def test_the_best_bound_is_the_simplest_of_the_highest() -> None:
    problem = linear(microbatches=3, times=[(1, 1, 1)])
    assert best_bound(problem) == Bound("busy", 9)


def test_numbers_beyond_64_bits_on_the_way_are_exact() -> None:
    huge = 2**57
    problem = linear(
        microbatches=16,
        times=[(huge, huge, huge)],
        memories=[(2**60, -(2**59), -(2**59))],
        capacity=[2**61],
        objective="rank_span",
    )
    assert best_bound(problem) == Bound("busy", 48 * huge)
    assert _values(problem)["area"] == 16 * (2**60 * 2 * huge + 2**59 * huge) // 2**61


@pytest.mark.parametrize("capacity", [-5, 0, 1])
def test_a_limit_that_nothing_fits_into_is_no_crash(capacity: int) -> None:
    problem = linear(
        microbatches=4,
        times=[(1, 1, 1), (1, 1, 1)],
        memories=[(2, -1, -1)] * 2,
        capacity=[capacity] * 2,
    )
    assert best_bound(problem).value >= 12


def test_bounds_run_without_the_compiled_code() -> None:
    code = (
        "import sys, nobubble.bounds.best;"
        "print([m for m in ('numba', 'nobubble.timing') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@given(problems(), st.integers(2, 1000))
def test_scaling_all_times_scales_the_bounds(problem: Problem, factor: int) -> None:
    scaled = replace(
        problem,
        time=problem.time * factor,
        forward_latency=problem.forward_latency * factor,
        backward_latency=problem.backward_latency * factor,
    )
    after = _values(scaled)
    for name, value in _values(problem).items():
        # Two knapsacks, at the beginning and the end, are each rounded to a whole ns.
        assert factor * (value - 2) < after[name] <= factor * value


@given(problems(), st.data())
def test_less_memory_never_gives_a_lower_bound(problem: Problem, data: st.DataObject) -> None:
    rank = data.draw(st.integers(0, problem.ranks - 1))
    limit, least = int(problem.capacity[rank]), needed(problem, rank)
    tight = problem.capacity.copy()
    tight[rank] = data.draw(st.integers(least, least + 60 if limit >= UNLIMITED else limit))
    assert best_bound(replace(problem, capacity=tight)).value >= best_bound(problem).value


@given(problems(), st.data())
def test_fewer_ways_of_running_backward_never_give_a_lower_bound(
    problem: Problem, data: st.DataObject
) -> None:
    stage = data.draw(st.integers(0, problem.stages - 1))
    both = problem.allowing(
        split=np.arange(problem.stages) == stage, fused=np.arange(problem.stages) == stage
    )
    assert best_bound(problem).value >= best_bound(both).value


@given(problems())
def test_more_microbatches_never_give_a_lower_bound(problem: Problem) -> None:
    more = replace(problem, microbatches=problem.microbatches + 1)
    assert best_bound(more).value >= best_bound(problem).value


@given(problems())
def test_the_makespan_bound_is_at_least_the_rank_span_bound(problem: Problem) -> None:
    makespan = best_bound(replace(problem, objective="makespan"))
    assert makespan.value >= best_bound(replace(problem, objective="rank_span")).value
