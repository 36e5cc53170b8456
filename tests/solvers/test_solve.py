"""What every answer keeps to, whatever the profile."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nobubble.errors import InfeasibleError, MethodError, NoScheduleError
from nobubble.methods import METHODS, NAMED_SCHEDULES
from nobubble.problem import Problem
from nobubble.profile.model import Cost, Profile, Stage
from nobubble.progress import Draft, Progress
from nobubble.schedule.document import ScheduleDocument
from nobubble.schedule.reading import parse_schedule
from nobubble.schedule.writing import json_text
from nobubble.solve import solve
from nobubble.solvers.memory import smallest_capacities
from nobubble.verifier.verify import verify
from tests.published import HALF, case_profile, row_profile, search_cases, table_rows, uniform, v
from tests.strategies import OBJECTIVES, profiles


@given(profiles(with_limits=True))
def test_every_answer_is_verified_and_not_below_its_bound(profile: Profile) -> None:
    """Tests that a profile has a schedule, or an explanation that names rank and limit."""
    try:
        document = solve(profile, effort="fast")
    except InfeasibleError as error:
        limit = profile.memory_limit[error.rank]
        assert limit == error.limit < error.needed
        return
    assert verify(document) == []
    assert verify(document, profile) == []
    assert document["lower_bound"] <= document["cost"]
    assert (document["status"] == "optimal") == (document["lower_bound"] == document["cost"])


@given(profiles(with_limits=True), st.sampled_from(NAMED_SCHEDULES))
def test_auto_is_never_worse_than_a_named_schedule(profile: Profile, name: str) -> None:
    """Tests that under the same limits, and with backward as the profile has it, auto wins."""
    try:
        named = solve(profile, method=name)
    except (MethodError, InfeasibleError):
        return
    fused = any(action["op"] == "BW" for rank in named["ranks"] for action in rank["actions"])
    wants = "split" if fused else "fused"
    if all(stage.backward != wants for stage in profile.stages):
        assert solve(profile, effort="fast")["cost"] <= named["cost"]


@given(profiles())
def test_the_limit_that_is_named_is_the_smallest(profile: Profile) -> None:
    """Tests that a schedule exists at the smallest limits, and none is claimed a byte below."""
    problem = Problem.of(profile)
    smallest = smallest_capacities(problem) + problem.static_memory
    limits = tuple(int(limit) for limit in smallest)
    assert verify(solve(replace(profile, memory_limit=limits), effort="fast")) == []
    for rank, limit in enumerate(limits):
        if limit > 0:
            short = (*limits[:rank], limit - 1, *limits[rank + 1 :])
            with pytest.raises(InfeasibleError) as caught:
                solve(replace(profile, memory_limit=short))
            assert (caught.value.rank, caught.value.needed) == (rank, limit)


@given(profiles(), st.integers(2, 1000))
def test_the_unit_of_time_does_not_matter(profile: Profile, factor: int) -> None:
    """Tests that scaling all times scales the cost and the bound."""

    def scaled(cost: Cost) -> Cost:
        return replace(cost, time=cost.time * factor)

    larger = replace(
        profile,
        stages=tuple(
            Stage(scaled(s.F), scaled(s.B), scaled(s.W), scaled(s.BW), s.backward)
            for s in profile.stages
        ),
        communication_forward=tuple(t * factor for t in profile.communication_forward),
        communication_backward=tuple(t * factor for t in profile.communication_backward),
    )
    before, after = solve(profile, effort="fast"), solve(larger, effort="fast")
    assert after["cost"] == factor * before["cost"]


@given(profiles(with_limits=True))
def test_the_same_input_gives_the_same_bytes(profile: Profile) -> None:
    """Tests that nothing in a document depends on chance, and that it reads back as it was."""
    try:
        text = json_text(solve(profile, effort="fast"))
    except InfeasibleError:
        return
    assert json_text(solve(profile, effort="fast")) == text


@pytest.mark.parametrize("method", METHODS)
def test_the_document_says_what_was_asked_and_what_found_it(method: str) -> None:
    """Tests method, options and the reason to stop, for each method."""
    is_v = method in ("zb-v", "v-half", "v-min")
    chunks = 2 if is_v or method == "interleaved-1f1b" else 1
    profile = uniform(2, 3, (2, 3, 4), 1, chunks=chunks)
    profile = v(profile) if is_v else profile
    document = solve(profile, method=method, effort="fast", seed=7)
    assert document["generator"]["options"] == {"method": method, "effort": "fast", "seed": 7}
    assert document["stopped_by"] in ("proof", "completed", "work")
    assert (document["stopped_by"] == "proof") == (document["cost"] == document["lower_bound"])
    if method not in ("auto", "search", "cpsat", "milp"):
        assert document["method"] == method
    assert parse_schedule(document) == document


def test_a_rank_span_schedule_requires_post_validation() -> None:
    """Tests that both costs are reported, and what the lower one depends on."""
    row = table_rows()[3]
    span = solve(row_profile(row, 2, objective="rank_span"), method="greedy")
    assert span["requires"] == ["post_validation"]
    assert span["cost"] == span["metrics"]["rank_span"] < span["metrics"]["makespan"]
    makespan = solve(row_profile(row, 2, objective="makespan"))
    assert makespan["requires"] == []
    assert makespan["cost"] == makespan["metrics"]["makespan"] > span["cost"]


def test_an_unknown_method_is_named() -> None:
    """Tests that the methods that exist are listed."""
    with pytest.raises(MethodError) as caught:
        solve(uniform(2, 2, (1, 1, 1)), method="zb-h3")
    assert str(caught.value) == (
        "there is no method 'zb-h3'; take one of auto, greedy, zb-auto, search, cpsat, milp, "
        "gpipe, 1f1b, interleaved-1f1b, zb-h1, zb-h2, zb-v, v-half, v-min"
    )


def test_no_time_is_no_schedule() -> None:
    """Tests that a time limit that passes before the first attempt is an error of its own."""
    with pytest.raises(NoScheduleError, match=r"^the time limit passed before there was"):
        solve(uniform(2, 2, (1, 1, 1)), method="greedy", time_limit=0)


def test_a_run_that_the_clock_cut_short_says_so() -> None:
    """Tests that `auto` without time gives the best named schedule, and says why."""
    document = solve(uniform(4, 5, (10, 12, 7), 1), time_limit=0)
    assert document["method"] in NAMED_SCHEDULES
    assert document["stopped_by"] == "time_limit"


def test_progress_tells_each_better_schedule() -> None:
    """Tests that costs come down in the reports, in the profile's unit."""
    told: list[Progress] = []
    document = solve(
        replace(row_profile(table_rows()[0], 1, objective="makespan"), time_unit="ms"),
        method="greedy",
        progress=told.append,
    )
    assert str(told[-1]) == (
        f"greedy: makespan {document['cost']} ms, bound {document['cost']} ms, gap 0.00%"
    )


def test_progress_gives_the_best_so_far_as_a_document() -> None:
    """Tests that every draft is a verified schedule with the figures that the report tells."""
    drafts: list[Draft] = []
    documents: list[ScheduleDocument] = []

    def note(progress: Progress) -> None:
        if progress.draft is not None:
            drafts.append(progress.draft)
            documents.append(progress.draft.document())

    last = solve(uniform(4, 9, (10, 12, 7), 1, limit=3 * 2 * HALF), progress=note)
    assert [draft.cost for draft in drafts] == [document["cost"] for document in documents]
    assert all(not verify(document) for document in documents)
    assert {document["stopped_by"] for document in documents} <= {"stopped", "proof"}
    assert drafts[-1].cost == last["cost"]
    assert drafts[-1].lower_bound == last["lower_bound"]


def test_a_run_that_is_asked_to_stop_gives_the_best_so_far() -> None:
    """Tests that a request to stop ends a search that would go on for minutes."""
    asked: list[Progress] = []
    profile = row_profile(table_rows()[4], 2, objective="rank_span")
    document = solve(
        profile, method="search", effort="max", progress=asked.append, stop=lambda: len(asked) > 1
    )
    assert document["stopped_by"] == "stopped"
    assert document["status"] == "feasible"


def test_a_run_that_is_asked_to_stop_at_once_has_no_schedule() -> None:
    """Tests that the request counts before the start too."""
    with pytest.raises(NoScheduleError, match=r"^it was stopped before there was a schedule"):
        solve(uniform(2, 2, (1, 1, 1)), method="greedy", stop=lambda: True)
    # A placement that no quick schedule is made for but GPipe, which breaks the limit.
    v = replace(uniform(2, 4, (1, 1, 1), chunks=2, limit=4 * HALF), placement=(0, 1, 1, 0))
    for method in ("auto", "search", "cpsat", "milp"):
        with pytest.raises(NoScheduleError, match=r"^it was stopped before there was a schedule"):
            solve(v, method=method, stop=lambda: True)


def test_too_little_memory_names_the_rank_and_what_would_do() -> None:
    """Tests the whole message, static memory and further ranks included."""
    profile = uniform(3, 2, (1, 1, 1))
    short = replace(
        profile,
        memory_unit="KiB",
        memory_limit=(1024, 2048, 3000),
        static_memory=(0, 512, 1024),
    )
    with pytest.raises(InfeasibleError) as caught:
        solve(short)
    assert str(caught.value) == (
        "rank 0 binds: one microbatch at a time takes 2 KiB there, but the limit is 1 KiB; "
        "2 other ranks cannot do it either. The smallest limit for all ranks with which a schedule "
        "exists is 3 KiB (rank by rank: 2, 2.5, 3). Raise the limit, hold less static memory "
        "there, or move layers to another rank."
    )
    with pytest.raises(InfeasibleError, match=r"takes 2.5 KiB there, 0.5 KiB of it static memory"):
        solve(replace(short, memory_limit=(4096, 2048, 4096)))


def test_auto_proves_what_bounds_leave_open_on_small_problems() -> None:
    """Tests a search case that no closed form proves."""
    case = next(case for case in search_cases() if case["id"] == "c00")
    for objective in OBJECTIVES:
        document = solve(case_profile(case, objective))
        assert document["bound"] == "cpsat"
        assert document["status"] == "optimal"
