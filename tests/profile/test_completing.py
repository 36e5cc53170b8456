"""Tests that everything a profile leaves out is filled in as the format says."""

from __future__ import annotations

from decimal import Decimal
from types import MappingProxyType
from typing import Any

import pytest

from nobubble.errors import ProfileError
from nobubble.profile.model import Cost
from nobubble.profile.reading import parse_profile
from tests.profile.examples import ONE_STAGE, with_memory, written


def test_smallest_profile() -> None:
    """Tests that a profile without optional keys has no limit, no memory and no communication."""
    profile = parse_profile(written())
    assert profile.name is None
    assert profile.placement == (0, 1, 2, 3)
    assert len(profile.stages) == 4
    forward, fused = profile.stages[0].F, profile.stages[0].BW
    assert forward == Cost(10_000_000, 0, 0)
    assert fused == Cost(19_000_000, 0, 0)
    assert profile.stages[0].backward == "split"
    assert profile.communication_forward == profile.communication_backward == (0, 0, 0)
    assert profile.memory_limit == (None,) * 4
    assert profile.static_memory == (0,) * 4
    assert profile.objective == "makespan"


def test_one_rank_one_microbatch() -> None:
    """Tests that a pipeline of one rank and one microbatch is a profile like any other."""
    profile = parse_profile(written(ranks=1, microbatches=1, communication=3))
    assert profile.placement == (0,)
    assert profile.communication_forward == ()


def test_list_of_one_stage_is_for_all() -> None:
    """Tests that a list of one stage means what the stage alone means."""
    assert parse_profile(written(stages=[ONE_STAGE])) == parse_profile(written())


def test_times_of_zero() -> None:
    """Tests that stages without layers are legal."""
    nothing = {"F": {"time": 0}, "B": {"time": 0}, "W": {"time": 0}}
    profile = parse_profile(written(stages=[nothing, ONE_STAGE, ONE_STAGE, nothing]))
    assert profile.stages[3].BW.time == 0


@pytest.mark.parametrize(
    ("keys", "placement"),
    [
        ({"placement": "linear"}, (0, 1, 2)),
        ({"placement": "linear", "chunks": 1}, (0, 1, 2)),
        ({"chunks": 1}, (0, 1, 2)),
        ({"placement": "v"}, (0, 1, 2, 2, 1, 0)),
        ({"placement": "v", "chunks": 2}, (0, 1, 2, 2, 1, 0)),
        ({"placement": "interleaved", "chunks": 2}, (0, 1, 2, 0, 1, 2)),
        ({"placement": "interleaved", "stages": [ONE_STAGE] * 5}, (0, 1, 2, 0, 1)),
        ({"placement": "interleaved", "stages": [ONE_STAGE] * 3}, (0, 1, 2)),
        ({"placement": [2, 0, 0, 1]}, (2, 0, 0, 1)),
        ({"placement": [2, 0, 1], "chunks": 1}, (2, 0, 1)),
        ({"placement": [2, 0, 0, 1], "stages": [ONE_STAGE] * 4}, (2, 0, 0, 1)),
    ],
)
def test_placements(keys: dict[str, Any], placement: tuple[int, ...]) -> None:
    """Tests that every way of placing stages gives the ranks that it says."""
    profile = parse_profile(written(ranks=3, **keys))
    assert profile.placement == placement
    assert len(profile.stages) == len(placement)
    assert len(profile.communication_forward) == len(placement) - 1


@pytest.mark.parametrize(
    ("communication", "forward", "backward"),
    [
        (2, (2, 2, 2), (2, 2, 2)),
        ([1, 2, 3], (1, 2, 3), (1, 2, 3)),
        ({"F": 1, "B": 2}, (1, 1, 1), (2, 2, 2)),
        ({"F": [1, 2, 3], "B": 4}, (1, 2, 3), (4, 4, 4)),
        ({"F": 0, "B": [1, 2, 3]}, (0, 0, 0), (1, 2, 3)),
    ],
)
def test_communication(
    communication: Any, forward: tuple[int, ...], backward: tuple[int, ...]
) -> None:
    """Tests that communication is given once, per boundary, per direction, or both."""
    profile = parse_profile(written(communication=communication, time_unit="ns"))
    assert profile.communication_forward == forward
    assert profile.communication_backward == backward


@pytest.mark.parametrize(
    ("given", "limits"),
    [(5, (5,) * 4), (None, (None,) * 4), ([1, None, 3, 0], (1, None, 3, 0))],
)
def test_memory_limit(given: Any, limits: tuple[int | None, ...]) -> None:
    """Tests that a limit is given once or for every rank, and that null is no limit."""
    assert parse_profile(written(memory_unit="B", memory_limit=given)).memory_limit == limits


def test_static_memory() -> None:
    """Tests that static memory is given once or for every rank."""
    one = parse_profile(written(memory_unit="KB", static_memory=2))
    many = parse_profile(written(memory_unit="KiB", static_memory=[4, 1, 1, 2]))
    assert one.static_memory == (2000,) * 4
    assert many.static_memory == (4096, 1024, 1024, 2048)


def test_fused_backward_follows_from_its_parts() -> None:
    """Tests that BW takes B's and W's time and memory, and its workspace on top of B's memory."""
    stage = {
        "F": {"time": 10, "memory": 4},
        "B": {"time": 11, "memory": 3, "workspace": 5},
        "W": {"time": 8, "memory": -7, "workspace": 6},
    }
    profile = parse_profile(written(memory_unit="B", stages=stage, time_unit="ns"))
    fused = profile.stages[0].BW
    assert fused == Cost(time=19, memory=-4, workspace=3 + 6)


@pytest.mark.parametrize(
    ("fused", "expected"),
    [
        ({"time": 15}, Cost(15, -4, 0)),
        ({"workspace": 9}, Cost(19, -4, 9)),
        ({"memory": -4}, Cost(19, -4, 0)),
        ({"time": 0, "memory": -4, "workspace": 0}, Cost(0, -4, 0)),
    ],
)
def test_fused_backward_field_by_field(fused: dict[str, Any], expected: Cost) -> None:
    """Tests that what is given of BW is kept, and only the rest filled in."""
    stage = with_memory(4, -3, -1, **fused)
    profile = parse_profile(written(memory_unit="B", stages=stage, time_unit="ns"))
    made = profile.stages[0].BW
    assert made == expected


@pytest.mark.parametrize(
    ("keys", "backward"),
    [
        ({}, "split"),
        ({"BW": {"time": 15}}, "auto"),
        ({"BW": {}}, "auto"),
        ({"BW": {"time": 15}, "backward": "split"}, "split"),
        ({"backward": "fused"}, "fused"),
        ({"backward": "auto"}, "auto"),
    ],
)
def test_backward(keys: dict[str, Any], backward: str) -> None:
    """Tests that the backward is split by default, and the solver's choice where BW is given."""
    assert parse_profile(written(stages={**ONE_STAGE, **keys})).stages[0].backward == backward


@pytest.mark.parametrize(
    "stage",
    [with_memory(4, 3, -7), with_memory(0, 5, -5), with_memory(4, -4, 0), with_memory(4, 0, -4)],
)
def test_signed_memory(stage: dict[str, Any]) -> None:
    """Tests that B may take memory, and that it may give back all or nothing."""
    profile = parse_profile(written(memory_unit="GB", stages=stage))
    assert profile.stages[0].B.memory == stage["B"]["memory"] * 10**9


def test_sum_of_decimals_is_exact() -> None:
    """Tests that memory adds up as written, where binary fractions would not."""
    assert 0.1 + 0.2 != 0.3
    stage = with_memory(0.3, -0.1, -0.2)
    assert parse_profile(written(memory_unit="GB", stages=stage)).stages[0].W.memory == -200_000_000


def test_sum_is_checked_before_rounding() -> None:
    """Tests that memory that adds up only when rounded to bytes is refused."""
    stage = with_memory(Decimal("4.0000000001"), -3, -1)
    with pytest.raises(ProfileError, match=r"= 0\.0000000001 B, and must be 0"):
        parse_profile(written(memory_unit="B", stages=stage))


def test_same_rank_communication_is_kept() -> None:
    """Tests that what is given between two stages of one rank stands as given."""
    profile = parse_profile(written(ranks=1, placement="v", communication=7, time_unit="ns"))
    assert profile.communication_forward == (7,)


def test_any_mapping_and_sequence() -> None:
    """Tests that values from a program need not be dicts and lists."""
    stage = MappingProxyType({key: MappingProxyType(cost) for key, cost in ONE_STAGE.items()})
    communication = MappingProxyType({"F": (1, 1, 1), "B": 1})
    data = written(stages=(stage,) * 4, communication=communication)
    assert parse_profile(MappingProxyType(data)) == parse_profile(written(communication=1))


def test_whole_numbers_with_a_point() -> None:
    """Tests that 8.0 microbatches are 8, as JSON Schema has it."""
    assert parse_profile(written(microbatches=8.0)).microbatches == 8


@pytest.mark.parametrize(
    ("fault", "keys"),
    [
        ("/1: 1 cannot be read: Keys should be strings", {1: 2}),
        ("/<one>: is not a known key", {"<one>": 2}),
        ("/stages/<list>: is not a known key", {"stages": {**ONE_STAGE, "<list>": 1}}),
        ("/a~1b: is not a known key", {"a/b": 1}),
        ("/ranks: a set is not a number", {"ranks": {4}}),
        ('/name: "\\udc80" has control characters', {"name": "\udc80"}),
    ],
)
def test_faults_that_only_programs_make(fault: str, keys: dict[Any, Any]) -> None:
    """Tests that values that no file of ours has are refused in words too."""
    with pytest.raises(ProfileError) as caught:
        parse_profile({**written(), **keys})
    assert f"<profile>: {fault}" in str(caught.value)


def test_largest_memory() -> None:
    """Tests that figures at the limit of 2^50 bytes are within it after rounding too."""
    half = Decimal(1) / 2
    for forward, backward in ((1 + half, 2**50 - 1 - half), (half, 2**50 - half), (2**50, 0)):
        stage = with_memory(forward, backward, -(2**50))
        profile = parse_profile(written(memory_unit="B", stages=stage))
        assert profile.stages[0].W.memory == -(2**50)
