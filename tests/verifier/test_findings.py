"""Tests that every kind of fault is found, and told with rank, op, microbatch and time."""

from __future__ import annotations

from typing import Any

import pytest

from nobubble.errors import VerificationError
from nobubble.profile.reading import parse_profile
from nobubble.verifier.findings import Findings, some
from nobubble.verifier.verify import assert_valid, verify
from tests.verifier.examples import (
    SPLIT,
    actions,
    document,
    find,
    remove,
    simple,
    swap,
    written,
)


def test_a_valid_schedule_has_no_findings() -> None:
    """Tests that nothing is found in a valid document, also against its profile."""
    assert verify(simple()) == []
    assert verify(simple(), parse_profile(written())) == []
    assert_valid(simple())


def test_assert_valid_raises_all_findings() -> None:
    """Tests that `assert_valid` raises what `verify` finds, with the exit code of a check."""
    schedule = simple()
    schedule["metrics"]["makespan"] = schedule["cost"] = 67
    with pytest.raises(VerificationError) as caught:
        assert_valid(schedule)
    assert list(caught.value.findings) == verify(schedule)
    assert caught.value.exit_code == 5


def test_every_way_of_running_backward_is_accepted() -> None:
    """Tests split, fused and mixed backward on a V placement, two stages a rank."""
    ways = ("fused", "split", "auto", "fused")
    schedule = document(
        "F0 F0 F3 BW3 F3 BW3 BW0 BW0",
        "F1 F1 F2 B2 W2 F2 BW2 B1 B1 W1 W1",
        stages=[{**SPLIT, "backward": way} for way in ways],
        placement="v",
    )
    assert verify(schedule) == []


def test_profile_inside_is_not_valid() -> None:
    """Tests that a document without a valid profile is not looked at further."""
    schedule = simple()
    schedule["profile"]["ranks"] = 0
    assert verify(schedule) == [
        "profile/ranks: 0 is too small; ranks is an integer from 1 to 100000"
    ]


def test_profile_hash() -> None:
    """Tests that a wrong hash is found."""
    schedule = simple()
    right = schedule["profile_sha256"]
    schedule["profile_sha256"] = "abc"
    assert verify(schedule) == [f'profile_sha256 is given as "abc"; the profile\'s is {right}']


def test_schedule_of_another_profile() -> None:
    """Tests that a schedule of another profile than the given one is refused, saying why."""
    given = parse_profile(written(memory_limit=19, objective="rank_span"))
    assert verify(simple(), given) == [
        "the schedule was made for another profile than the one given: they differ in "
        "objective (makespan in the schedule, rank_span in the profile), memory_limit"
    ]


def test_profile_name_does_not_matter() -> None:
    """Tests that the same profile under another name and in other units is the same."""
    given = parse_profile(written(name="other"))
    assert verify(simple(), given) == []


@pytest.mark.parametrize(
    ("key", "value", "finding"),
    [
        ("placement", [0], "placement has 1 stage, the profile 2"),
        ("placement", [1, 0], "placement puts stage 0 on rank 1, the profile on rank 0"),
        ("ranks", [], "ranks has 0 ranks, the profile 2"),
    ],
)
def test_layout(key: str, value: Any, finding: str) -> None:
    """Tests that ranks and placement must be the profile's."""
    schedule = simple()
    schedule[key] = value
    assert verify(schedule) == [finding]


def test_ranks_out_of_place() -> None:
    """Tests that ranks are listed in ascending order."""
    schedule = simple()
    schedule["ranks"].reverse()
    schedule["metrics"]["ranks"].pop()
    assert verify(schedule) == [
        "ranks has rank 1 in the place of rank 0",
        "metrics.ranks has 1 rank, the profile 2",
    ]


def test_missing_op() -> None:
    """Tests that an op that is not there is found, and what is left of its backward."""
    schedule = simple()
    remove(schedule, 1, "F", 1, 1)
    remove(schedule, 0, "B", 0, 1)
    remove(schedule, 1, "W", 1, 0)
    assert verify(schedule) == [
        "rank 0: stage 0 has no B or BW for microbatch 1",
        "rank 0: stage 0 has W but no B for microbatch 1",
        "rank 1: stage 1 has no F for microbatch 1",
        "rank 1: stage 1 has B but no W for microbatch 0",
    ]


def test_many_missing_ops_are_one_finding() -> None:
    """Tests that a stage's missing ops are told together."""
    schedule = document("F0 " * 8 + "B0 W0 " * 8, microbatches=8, ranks=1, memory_limit=None)
    ops = actions(schedule, 0)
    ops[:] = [action for action in ops if action["op"] != "F" or action["microbatch"] in (1, 2)]
    assert verify(schedule) == ["rank 0: stage 0 has no F for microbatch 0, 3, 4, 5, 6 and 1 more"]


def test_duplicate_op() -> None:
    """Tests that an op that is there twice is found."""
    schedule = simple()
    actions(schedule, 0).append(find(schedule, 0, "F", 0, 1))
    assert verify(schedule) == ["rank 0: F(0, 1) at 10 ms is there more than once"]


def test_op_on_the_wrong_rank() -> None:
    """Tests that an op on another rank than its stage's is found."""
    schedule = simple()
    actions(schedule, 1).append(remove(schedule, 0, "W", 0, 1))
    assert verify(schedule) == [
        "rank 1: W(0, 1) at 61 ms does not belong here: stage 0 is on rank 0"
    ]


def test_unknown_stage_and_microbatch() -> None:
    """Tests that ops of stages and microbatches that there are not are found."""
    schedule = simple()
    find(schedule, 0, "W", 0, 1)["stage"] = 2
    find(schedule, 1, "W", 1, 1)["microbatch"] = 2
    assert verify(schedule) == [
        "rank 0: W(2, 1) at 61 ms: there is no stage 2; stages are 0 to 1",
        "rank 1: W(1, 2) at 55.5 ms: there is no microbatch 2; microbatches are 0 to 1",
        "rank 0: stage 0 has B but no W for microbatch 1",
        "rank 1: stage 1 has B but no W for microbatch 1",
    ]


def test_both_split_and_fused() -> None:
    """Tests that a backward that runs split and fused at once is found."""
    schedule = document(
        "F0 F0 BW0 BW0", "F1 BW1 F1 BW1", stages=[{**SPLIT, "BW": {}, "backward": "auto"}] * 2
    )
    end = find(schedule, 1, "BW", 1, 1)["end"]
    extra = {"op": "B", "stage": 1, "microbatch": 1, "start": end, "end": end + 10}
    actions(schedule, 1).append(extra)
    assert verify(schedule) == [
        "rank 1: stage 1 has both B and BW for microbatch 1",
        "rank 1: stage 1 has B but no W for microbatch 1",
    ]


def test_backward_that_the_profile_does_not_allow() -> None:
    """Tests that a stage runs backward as its profile says, unless the schedule is a named one."""
    rows = ("F0 F0 B0 W0 B0 W0", "F1 BW1 F1 BW1")
    stages = [{**SPLIT, "backward": "fused"}, {**SPLIT, "backward": "split"}]
    assert verify(document(*rows, stages=stages)) == [
        "rank 0: stage 0 must not split its backward, but has B for microbatch 0 and 1",
        "rank 1: stage 1 must split its backward, but has BW for microbatch 0 and 1",
    ]
    assert verify(document(*rows, stages=stages, method="zb-h1")) == []
    asked = document(*rows, stages=stages)
    asked["generator"]["options"]["method"] = "1f1b"
    assert verify(asked) == []


def test_microbatches_out_of_order() -> None:
    """Tests that a stage that runs microbatches in another order is found."""
    schedule = simple()
    swap(schedule, 1, 8, 9)
    assert verify(schedule) == [
        "rank 1: W(1, 0) at 50.5 ms comes after W(1, 1); "
        "a stage runs its microbatches in ascending order",
        "rank 1: W(1, 1) starts at 55.5 ms, later than it must: it could start at 50.5 ms",
        "rank 1: W(1, 0) starts at 50.5 ms, before W(1, 1) ends at 60.5 ms",
    ]


def test_op_before_what_it_needs_on_its_rank() -> None:
    """Tests that B before F, W before B, and F before the F of the stage before are found."""
    instant = {"F": {"time": 0}, "B": {"time": 0}, "W": {"time": 0}}
    schedule = document(
        "F0 F1 F2 B2 B1 B0 W2 W1 W0",
        stages=[instant] * 3,
        placement=[0, 0, 0],
        ranks=1,
        microbatches=1,
        memory_limit=None,
    )
    assert verify(schedule) == []
    # F1 F0 F2 B1 B2 W0 W2 W1 B0: of zero time, so only the order can tell.
    ops = actions(schedule, 0)
    ops[:] = [ops[at] for at in (1, 0, 2, 4, 3, 8, 6, 7, 5)]
    assert verify(schedule) == [
        "rank 0: F(1, 0) at 0 ms comes before F(0, 0), which it needs",
        "rank 0: B(1, 0) at 0 ms comes before the backward of stage 2, microbatch 0, "
        "which it needs",
        "rank 0: W(0, 0) at 0 ms comes before B(0, 0), which it needs",
    ]
    ops[:] = [ops[at] for at in (1, 0, 4, 3, 8, 5, 6, 7, 2)]
    assert verify(schedule) == ["rank 0: B(2, 0) at 0 ms comes before F(2, 0), which it needs"]


def test_duration() -> None:
    """Tests that an op that lasts longer or shorter than in the profile is found."""
    schedule = simple()
    find(schedule, 0, "W", 0, 1)["end"] = 67
    assert verify(schedule) == [
        "rank 0: W(0, 1) lasts 6 ms, from 61 ms to 67 ms; in the profile W of stage 0 takes 5 ms"
    ]


def test_input_that_has_not_arrived() -> None:
    """Tests that an op that starts before its input arrives is found."""
    schedule = simple()
    find(schedule, 1, "F", 1, 0).update(start=10, end=20)
    find(schedule, 0, "B", 0, 0).update(start=30, end=40)
    assert verify(schedule) == [
        "rank 0: B(0, 0) starts at 30 ms, before its input arrives at 31 ms "
        "(B(1, 0) ends at 30.5 ms, communication 0.5 ms)",
        "rank 0: W(0, 0) starts at 41 ms, later than it must: it could start at 40 ms",
        "rank 1: F(1, 0) starts at 10 ms, before its input arrives at 10.5 ms "
        "(F(0, 0) ends at 10 ms, communication 0.5 ms)",
        "rank 1: B(1, 0) starts at 20.5 ms, later than it must: it could start at 20 ms",
    ]


def test_overlap_on_a_rank() -> None:
    """Tests that ops of one rank that overlap are found, and a start before the beginning."""
    schedule = simple()
    find(schedule, 0, "F", 0, 0).update(start=-1, end=9)
    find(schedule, 1, "W", 1, 1).update(start=55, end=60)
    assert verify(schedule) == [
        "rank 0: F(0, 0) starts at -1 ms, before 0 ms",
        "rank 0: F(0, 1) starts at 10 ms, later than it must: it could start at 9 ms",
        "rank 1: F(1, 0) starts at 10.5 ms, later than it must: it could start at 9.5 ms",
        "rank 1: W(1, 1) starts at 55 ms, before W(1, 0) ends at 55.5 ms",
    ]


def test_start_later_than_it_must() -> None:
    """Tests that an op that starts later than it could is found."""
    schedule = simple()
    find(schedule, 1, "W", 1, 1).update(start=56, end=61)
    assert verify(schedule) == [
        "rank 1: W(1, 1) starts at 56 ms, later than it must: it could start at 55.5 ms"
    ]


def test_time_that_is_no_whole_number_of_nanoseconds() -> None:
    """Tests that times too fine to be kept, and absurdly large ones, are found."""
    schedule = simple()
    find(schedule, 0, "F", 0, 0)["start"] = 1e-7
    find(schedule, 1, "F", 1, 0)["end"] = 10**400
    assert verify(schedule) == [
        "rank 0: F(0, 0) starts at 1E-7 ms, which is no whole number of nanoseconds",
        "rank 1: F(1, 0) ends at 1000000000000000000000000000000000000... ms, "
        "which is no whole number of nanoseconds",
    ]


def test_memory_over_the_limit() -> None:
    """Tests that a rank over its limit is found, with the op, the time and the amount."""
    rows = ("F0 F0 F0 B0 W0 B0 W0 B0 W0", "F1 B1 W1 F1 B1 W1 F1 B1 W1")
    assert verify(document(*rows, microbatches=3, memory_limit=[12.5, 5])) == [
        "rank 0: F(0, 2) at 20 ms brings memory to 13 MiB, 0.5 MiB over the limit of 12.5 MiB"
    ]
    assert verify(document(*rows, microbatches=3, memory_limit=[8, 4])) == [
        "rank 0: F(0, 1) at 10 ms brings memory to 9 MiB, 1 MiB over the limit of 8 MiB; "
        "the most is 13 MiB, in F(0, 2) at 20 ms",
        "rank 1: F(1, 0) at 10.5 ms brings memory to 5 MiB, 1 MiB over the limit of 4 MiB",
    ]


def test_static_memory_over_the_limit() -> None:
    """Tests that static memory that leaves no room is told as such."""
    schedule = document(
        "F0 F0 B0 W0 B0 W0", "F1 B1 F1 B1 W1 W1", memory_limit=20, static_memory=[21, 0]
    )
    assert verify(schedule) == [
        "rank 0: static memory alone is 21 MiB, 1 MiB over the limit of 20 MiB"
    ]


def test_increase_counts_from_the_start_and_decrease_from_the_end() -> None:
    """Tests that a B that increases memory holds it from its start, and workspace on top."""
    stage = {
        "F": {"time": 10, "memory": 4},
        "B": {"time": 10, "memory": 2, "workspace": 1},
        "W": {"time": 5, "memory": -6, "workspace": 2},
    }
    row = "F0 B0 W0 F0 B0 W0"
    keys: dict[str, Any] = {"ranks": 1, "stages": stage}
    assert verify(document(row, memory_limit=8, **keys)) == []
    assert verify(document(row, memory_limit=7, **keys)) == [
        "rank 0: W(0, 0) at 20 ms brings memory to 8 MiB, 1 MiB over the limit of 7 MiB"
    ]
    assert verify(document(row, memory_limit=6, **keys)) == [
        "rank 0: B(0, 0) at 10 ms brings memory to 7 MiB, 1 MiB over the limit of 6 MiB; "
        "the most is 8 MiB, in W(0, 0) at 20 ms"
    ]


@pytest.mark.parametrize(
    ("key", "value", "findings"),
    [
        ("objective", "rank_span", ["objective is given as rank_span; the profile's is makespan"]),
        (
            "requires",
            ["post_validation"],
            ['requires is given as ["post_validation"]; for the objective makespan it is []'],
        ),
        (
            "cost",
            67,
            [
                "cost is given as 67 ms; makespan is 66 ms",
                "gap is given as 0.5; cost and lower_bound give 0.507462686567",
            ],
        ),
        (
            "lower_bound",
            66,
            [
                "gap is given as 0.5; cost and lower_bound give 0",
                "status is given as feasible; the cost of 66 ms equals the lower_bound of 66 ms, "
                "so it is optimal",
            ],
        ),
        (
            "lower_bound",
            132,
            [
                "lower_bound is 132 ms, more than the cost of 66 ms",
                "gap is given as 0.5; cost and lower_bound give -1",
            ],
        ),
        (
            "lower_bound",
            33.00000001,
            ["lower_bound is 33.00000001 ms, which is no whole number of nanoseconds"],
        ),
        ("gap", 0.4, ["gap is given as 0.4; cost and lower_bound give 0.5"]),
        ("gap", 10**400, [f"gap is given as 1{'0' * 36}...; cost and lower_bound give 0.5"]),
        (
            "status",
            "optimal",
            [
                "status is given as optimal; the cost of 66 ms differs from the lower_bound of "
                "33 ms, so it is feasible"
            ],
        ),
        (
            "stopped_by",
            "proof",
            ["stopped_by is given as proof, but the lower_bound does not equal the cost"],
        ),
    ],
)
def test_claims(key: str, value: Any, findings: list[str]) -> None:
    """Tests that what a document says of its cost must be so."""
    schedule = simple()
    schedule[key] = value
    assert verify(schedule) == findings


@pytest.mark.parametrize(
    ("key", "value", "findings"),
    [
        (
            "makespan",
            65,
            [
                "cost is given as 66 ms; makespan is 65 ms",
                "makespan is given as 65 ms; the actions give 66 ms",
            ],
        ),
        ("rank_span", 0, ["rank_span is given as 0 ms; the actions give 66 ms"]),
        (
            "bubble_rate",
            0.2424,
            ["bubble_rate is given as 0.2424; the actions give 0.242424242424"],
        ),
        ("idle_rate", 1, ["idle_rate is given as 1; the actions give 0.242424242424"]),
    ],
)
def test_metrics(key: str, value: Any, findings: list[str]) -> None:
    """Tests that the figures of the schedule are those of its actions."""
    schedule = simple()
    schedule["metrics"][key] = value
    assert verify(schedule) == findings


@pytest.mark.parametrize(
    ("key", "finding"),
    [
        ("busy", "rank 1: busy is given as 7 ms; the actions give 50 ms"),
        ("start", "rank 1: start is given as 7 ms; the actions give 10.5 ms"),
        ("end", "rank 1: end is given as 7 ms; the actions give 60.5 ms"),
        ("peak_memory", "rank 1: peak_memory is given as 7 MiB; the actions give 8 MiB"),
        ("memory_limit", "rank 1: memory_limit is given as 7 MiB; the profile's is 20 MiB"),
    ],
)
def test_metrics_of_a_rank(key: str, finding: str) -> None:
    """Tests that the figures of every rank are those of its actions and of the profile."""
    schedule = simple()
    schedule["metrics"]["ranks"][1][key] = 7
    assert verify(schedule) == [finding]


def test_no_limit_is_not_a_limit() -> None:
    """Tests that null and a number are told apart for a memory limit."""
    schedule = simple()
    schedule["metrics"]["ranks"][0]["memory_limit"] = None
    assert verify(schedule) == ["rank 0: memory_limit is given as null; the profile's is 20 MiB"]
    free = document("F0 F0 B0 W0 B0 W0", "F1 B1 F1 B1 W1 W1", memory_limit=[None, 20])
    assert verify(free) == []
    free["metrics"]["ranks"][0]["memory_limit"] = 20
    assert verify(free) == ["rank 0: memory_limit is given as 20 MiB; the profile's is null"]


def test_rank_span() -> None:
    """Tests that a rank-span schedule costs its rank span and requires post-validation."""
    schedule = document("F0 F0 B0 W0 B0 W0", "F1 B1 F1 B1 W1 W1", objective="rank_span")
    assert verify(schedule) == []
    schedule["requires"] = []
    assert verify(schedule) == [
        'requires is given as []; for the objective rank_span it is ["post_validation"]'
    ]


def test_cost_of_zero() -> None:
    """Tests that rates and gap are 0 where everything takes no time."""
    instant = {"F": {"time": 0}, "B": {"time": 0}, "W": {"time": 0}}
    schedule = document("F0 F0 B0 B0 W0 W0", "F1 B1 W1 F1 B1 W1", stages=instant, communication=0)
    assert verify(schedule) == []
    schedule["gap"] = 1
    assert verify(schedule) == ["gap is given as 1; cost and lower_bound give 0"]


def test_number_of_findings_is_limited() -> None:
    """Tests that beyond a hundred findings only their number is told."""
    findings = Findings()
    for number in range(103):
        findings.add(str(number))
    assert findings.texts() == [*map(str, range(100)), "and 3 more"]


def test_lists_in_findings() -> None:
    """Tests how a few of many microbatches are listed."""
    assert some([4], 1) == "4"
    assert some([1, 2, 5], 3) == "1, 2 and 5"
    assert some([1, 2], 4) == "1, 2 and 2 more"
