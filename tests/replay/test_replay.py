"""Tests of replaying a schedule with other times."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nobubble.errors import InputError, VerificationError
from nobubble.named.one_f_one_b import one_f_one_b
from nobubble.named.zb_h1 import zb_h1
from nobubble.order import Order
from nobubble.problem import Problem
from nobubble.profile.model import Profile
from nobubble.replay.noise import Noise
from nobubble.replay.replay import HIGHEST_SEED, Replay, replay, slow_down
from nobubble.schedule.order_of import order_of
from nobubble.timing import time_of
from tests.published import uniform
from tests.replay.plain import deviation, plain_sample, scrambled
from tests.strategies import orders, profiles
from tests.verifier.examples import made

US = 1000
few = settings(max_examples=40, deadline=None)


def document(profile: Profile, order: Order) -> Any:
    """Give the document of an order, as it is read back."""
    return made(profile, [order.of_rank(rank).tolist() for rank in range(profile.ranks)])


def published(microbatches: int = 8, objective: Any = "makespan") -> Profile:
    """Give a profile of 4 equal stages with communication."""
    return uniform(4, microbatches, (20 * US, 21 * US, 14 * US), US, objective=objective)


def zb_h1_document(objective: Any = "makespan") -> Any:
    """Give ZB-H1 for it."""
    profile = published(objective=objective)
    return document(profile, zb_h1(Problem.of(profile)))


@st.composite
def schedules(draw: st.DrawFn) -> tuple[Profile, Order, Any]:
    """Draw a profile with times long enough for noise to show, an order, and its document."""
    drawn = draw(profiles())
    stages = [
        replace(
            stage,
            **{
                kind: replace(cost, time=cost.time * US)
                for kind in ("F", "B", "W", "BW")
                if (cost := getattr(stage, kind))
            },
        )
        for stage in drawn.stages
    ]
    profile = replace(
        drawn,
        stages=tuple(stages),
        communication_forward=tuple(time * US for time in drawn.communication_forward),
        communication_backward=tuple(time * US for time in drawn.communication_backward),
    )
    order = draw(orders(Problem.of(profile)))
    return profile, order, document(profile, order)


@st.composite
def noises(draw: st.DrawFn, ranks: int) -> Noise:
    """Draw noise of every kind."""
    part = st.sampled_from([0.0, 0.01, 0.05, 0.25])
    slow = draw(st.dictionaries(st.integers(0, ranks - 1), st.sampled_from([0.1, 0.5, 9.0])))
    return Noise(op=draw(part), rank=draw(part), slow=slow)


def test_the_generator_is_splitmix64() -> None:
    """Tests the test's own generator against the published first outputs of seed 1234567."""
    golden, mask = 0x9E3779B97F4A7C15, 2**64 - 1
    assert [scrambled(1234567 + k * golden & mask) for k in (1, 2, 3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_deviations_are_a_bell_around_0() -> None:
    """Tests mean, standard deviation, symmetry and range of what is drawn."""
    draws = np.array([deviation(0, 0, k) for k in range(20_000)]) / np.sqrt((2**32 - 1) / 3)
    assert abs(draws.mean()) < 0.03
    assert abs(draws.std() - 1) < 0.02
    assert abs((draws**3).mean()) < 0.06
    assert 3 < np.abs(draws).max() < 3.4642
    assert 0.66 < (np.abs(draws) < 1).mean() < 0.69  # a normal one: 0.683


@few
@given(schedules())
def test_the_order_of_a_document_is_the_order_that_made_it(drawn: Any) -> None:
    """Tests that actions are read back, on any placement and with any backward."""
    _, order, schedule = drawn
    read = order_of(schedule)
    assert read.letters.tolist() == order.letters.tolist()
    assert read.offsets.tolist() == order.offsets.tolist()


@few
@given(st.data(), st.integers(0, HIGHEST_SEED))
def test_every_sample_is_what_its_definition_says(data: st.DataObject, seed: int) -> None:
    """Tests costs and work against the plain definition, under noise of every kind."""
    profile, order, schedule = data.draw(schedules())
    noise = data.draw(noises(profile.ranks))
    result = replay(schedule, noise, samples=3, seed=seed)
    for sample in range(3):
        makespan, rank_span, work = plain_sample(profile, order, noise, seed, sample)
        assert result.cost[sample] == (makespan if profile.objective == "makespan" else rank_span)
        assert result.work[sample] == work


@few
@given(schedules())
def test_without_noise_every_sample_is_the_plan(drawn: Any) -> None:
    """Tests that noise of 0 changes nothing, by not a nanosecond."""
    profile, order, schedule = drawn
    problem = Problem.of(profile)
    result = replay(schedule, Noise(), samples=4)
    assert result.plan == time_of(problem, order).cost(problem)
    assert result.cost.tolist() == [result.plan] * 4
    assert result.work.tolist() == [result.plan_work] * 4


@few
@given(st.data())
def test_a_slow_rank_alone_is_the_timing_of_a_slower_profile(data: st.DataObject) -> None:
    """Tests stragglers against the timing routine."""
    profile, order, schedule = data.draw(schedules())
    noise = Noise(slow={data.draw(st.integers(0, profile.ranks - 1)): 0.5})
    slowed = slow_down(Problem.of(profile), noise)
    cost = time_of(slowed, order).cost(slowed)
    assert replay(schedule, noise, samples=2).cost.tolist() == [cost] * 2


@few
@given(st.data())
def test_a_slow_rank_never_lowers_a_makespan(data: st.DataObject) -> None:
    """Tests every sample of the same noise, with and without a straggler."""
    profile, order, _ = data.draw(schedules())
    profile = replace(profile, objective="makespan")
    schedule = document(profile, order)
    noise = data.draw(noises(profile.ranks))
    rank = data.draw(st.integers(0, profile.ranks - 1))
    slower = replace(noise, slow={**noise.slow, rank: noise.slow.get(rank, 0.0) + 0.03})
    before, after = (replay(schedule, one, samples=5).cost for one in (noise, slower))
    assert (after >= before).all()


@few
@given(st.data())
def test_no_sample_costs_less_than_its_busiest_rank_works(data: st.DataObject) -> None:
    """Tests that work bounds the cost from below, for either objective."""
    profile, _, schedule = data.draw(schedules())
    result = replay(schedule, data.draw(noises(profile.ranks)), samples=5)
    assert (result.work <= result.cost).all()


@few
@given(st.data())
def test_the_critical_shares_are_the_whole_cost(data: st.DataObject) -> None:
    """Tests that ranks and communication, and kinds of ops, account for all of the cost."""
    profile, _, schedule = data.draw(schedules())
    result = replay(schedule, data.draw(noises(profile.ranks)), samples=5)
    whole = 1.0 if result.cost.any() else 0.0
    assert sum(result.critical_kinds) == pytest.approx(whole)
    assert sum(result.critical_ranks) + result.critical_kinds[4] == pytest.approx(whole)


@few
@given(st.data())
def test_a_rank_that_is_slower_costs_at_least_its_critical_share(data: st.DataObject) -> None:
    """Tests that the share is a slope of the makespan, which is convex in the times."""
    profile, order, _ = data.draw(schedules())
    schedule = document(replace(profile, objective="makespan"), order)
    rank = data.draw(st.integers(0, profile.ranks - 1))
    plan = replay(schedule, Noise(), samples=1)
    doubled = replay(schedule, Noise(slow={rank: 1.0}), samples=1)
    assert doubled.cost[0] >= round(plan.plan * (1 + plan.critical_ranks[rank]))


def test_the_critical_path_of_one_rank() -> None:
    """Tests shares on ops that all wait for the one before."""
    profile = uniform(1, 2, (50, 30, 20))
    result = replay(document(profile, Order.of([[0, 1, 2, 0, 1, 2]])), Noise(), samples=2)
    assert result.critical_ranks == (1.0,)
    assert result.critical_kinds == (0.5, 0.3, 0.2, 0.0, 0.0)


def test_the_critical_path_of_a_rank_span() -> None:
    """Tests that what delays a rank's first start counts against its span."""
    profile = uniform(2, 1, (10, 10, 10), 5, objective="rank_span")
    stages = (
        profile.stages[0],
        replace(profile.stages[1], W=replace(profile.stages[1].W, time=90)),
    )
    profile = replace(profile, stages=stages)
    result = replay(document(profile, Order.of([[0, 1, 2], [4, 5, 6]])), Noise(), samples=1)
    # Rank 1 waits 15 for its first op, which is not in its span of 10 + 10 + 90.
    assert result.cost.tolist() == [110]
    assert result.critical_ranks == (0.0, 1.0)
    assert result.critical_kinds == pytest.approx((10 / 110, 10 / 110, 90 / 110, 0, 0))


@pytest.mark.parametrize("objective", ["makespan", "rank_span"])
def test_more_noise_costs_more(objective: str) -> None:
    """Tests that waiting for the latest of several makes the mean cost rise with the noise."""
    schedule = zb_h1_document(objective)
    means = [replay(schedule, Noise(op=part)).cost.mean() for part in (0, 0.02, 0.05, 0.1, 0.25)]
    assert means == sorted(set(means))


def test_the_mean_of_the_work_of_a_lone_rank_is_planned() -> None:
    """Tests that noise keeps the mean and has the standard deviation that was asked for."""
    profile = uniform(1, 1, (100 * US, 0, 0))
    cost = replay(document(profile, Order.of([[0, 1, 2]])), Noise(op=0.1), samples=20_000).cost
    assert cost.mean() == pytest.approx(100 * US, rel=0.003)
    assert cost.std() == pytest.approx(10 * US, rel=0.02)
    assert cost.min() > 100 * US * (1 - 0.347)


def test_a_rank_has_one_factor_an_iteration() -> None:
    """Tests that noise of ranks does not average out over the ops of an iteration."""
    profile = uniform(1, 25, (100 * US, 0, 0))
    schedule = document(profile, Order.of([[0, 1, 2] * 25]))
    by_op, by_rank = (
        replay(schedule, noise).cost.std() / (2500 * US)
        for noise in (Noise(op=0.1), Noise(rank=0.1))
    )
    assert by_op == pytest.approx(0.02, rel=0.1)
    assert by_rank == pytest.approx(0.1, rel=0.1)


def test_ops_have_the_same_noise_in_every_schedule() -> None:
    """Tests that schedules are compared under the same conditions: the work is the same."""
    profile = published()
    problem = Problem.of(profile)
    split = zb_h1(problem)
    rows = [split.of_rank(rank).tolist() for rank in range(4)]
    lazy = [[x for x in row if x & 3 != 2] + [x for x in row if x & 3 == 2] for row in rows]
    one, other = (
        replay(document(profile, order), Noise(op=0.1, rank=0.02), samples=20)
        for order in (split, Order.of(lazy))
    )
    assert one.work.tolist() == other.work.tolist()
    assert one.cost.tolist() != other.cost.tolist()


def test_more_samples_begin_with_the_same() -> None:
    """Tests that the number of samples does not change what is drawn, across batches too."""
    schedule = zb_h1_document()
    few, many = (replay(schedule, Noise(op=0.05), samples=n).cost for n in (100, 300))
    assert few.tolist() == many[:100].tolist()
    assert len(set(many.tolist())) > 290


def test_another_seed_is_another_noise() -> None:
    """Tests that seeds differ, the highest one included."""
    costs = [
        tuple(replay(zb_h1_document(), Noise(op=0.05), samples=5, seed=seed).cost.tolist())
        for seed in (0, 1, HIGHEST_SEED)
    ]
    assert len(set(costs)) == 3


def test_the_same_seed_gives_the_same_numbers_on_any_machine() -> None:
    """Tests costs and work of a thousand samples against frozen ones."""
    noise = Noise(op=0.05, rank=0.02, slow={1: 0.07})
    result = replay(zb_h1_document(), noise, seed=5)
    assert result.cost[:4].tolist() == [549853, 553595, 557738, 553097]
    digest = hashlib.sha256(result.cost.astype("<i8").tobytes())
    digest.update(result.work.astype("<i8").tobytes())
    assert digest.hexdigest() == (
        "5bf2d67f121c22e72bbc1f09e21a9b6a64114e296c9043d6204039fc55d8d251"
    )


def test_backward_may_be_fused() -> None:
    """Tests that 1F1B's BW ops are replayed, on a profile that would split them."""
    profile = replace(
        published(), stages=tuple(replace(s, backward="fused") for s in published().stages)
    )
    result = replay(document(profile, one_f_one_b(Problem.of(profile))), Noise(op=0.05))
    assert result.critical_kinds[1] == result.critical_kinds[2] == 0
    assert result.critical_kinds[3] > 0.5


def test_progress_is_told() -> None:
    """Tests that a long replay can be watched."""
    lines: list[str] = []
    replay(zb_h1_document(), Noise(), samples=300, progress=lines.append)
    assert lines[0] == "replaying: 0 of 300 samples"
    assert len(lines) > 1


def test_a_schedule_that_is_not_so_is_not_replayed() -> None:
    """Tests that the verifier comes first, and what it found is told."""
    schedule = zb_h1_document()
    schedule["ranks"][0]["actions"][0]["end"] += 1
    with pytest.raises(VerificationError, match=r"rank 0: F\(0, 0\) lasts"):
        replay(schedule, Noise())


def _with(**keys: Any) -> Callable[[], Replay]:
    noise = Noise(slow=keys.pop("slow", {}))
    return lambda: replay(zb_h1_document(), noise, **keys)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Noise(op=0.26), "noise of ops: 0.26 is not between 0 and 0.25"),
        (lambda: Noise(op=float("nan")), "noise of ops: nan is not between 0 and 0.25"),
        (lambda: Noise(rank=-0.1), "noise of ranks: -0.1 is not between 0 and 0.25"),
        (lambda: Noise(slow={2: 11.0}), "slowdown of rank 2: 11.0 is not between 0 and 10"),
        (_with(slow={4: 0.1}), "slow rank 4: the schedule has no such rank; they are 0 to 3"),
        (_with(slow={-1: 0.1}), "slow rank -1: the schedule has no such rank; they are 0 to 3"),
        (_with(samples=0), "samples: 0 is not between 1 and 1000000"),
        (_with(samples=10**6 + 1), "samples: 1000001 is not between 1 and 1000000"),
        (_with(seed=-1), f"seed: -1 is not between 0 and {2**63 - 1}"),
        (_with(seed=2**63), f"seed: {2**63} is not between 0 and {2**63 - 1}"),
    ],
)
def test_what_is_out_of_range_is_told(call: Callable[[], object], message: str) -> None:
    """Tests that the message says what was given and what is allowed."""
    with pytest.raises(InputError) as caught:
        call()
    assert str(caught.value) == message


def test_nothing_overflows_at_the_largest_profile() -> None:
    """Tests the longest times that a profile may have, under the most noise, over many samples."""
    profile = uniform(1, 1, (10**15 - 2, 1, 1))
    noise = Noise(op=0.25, rank=0.25, slow={0: 10.0})
    result = replay(document(profile, Order.of([[0, 1, 2]])), noise, samples=1000)
    assert result.cost.min() > 0
    assert result.cost.mean() == pytest.approx(11 * 10**15, rel=0.05)
    assert result.critical_ranks == (1.0,)
