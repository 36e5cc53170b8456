"""Tests of what people who plan pipelines have run into: public reports, each with such an input.

Those of the service, of a runtime and of the solvers' limits stand with their parts.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from nobubble.comparison.compare import compare
from nobubble.errors import InfeasibleError, MethodError, ProfileError
from nobubble.methods import NAMED_SCHEDULES
from nobubble.profile.reading import parse_model, parse_profile
from nobubble.solve import solve
from nobubble.verifier.verify import verify
from tests.partition.models import model_of, op

GB = 10**9


def profile_of(ranks: int = 4, microbatches: int = 8, **keys: Any) -> dict[str, Any]:
    """Give a profile of equal stages."""
    stage = {
        "F": {"time": 10, "memory": 4},
        "B": {"time": 10, "memory": -2},
        "W": {"time": 8, "memory": -2},
    }
    return {
        "schema": "nobubble.profile/1",
        "time_unit": "ms",
        "memory_unit": "GB",
        "ranks": ranks,
        "microbatches": microbatches,
        "stages": stage,
        "communication": 0.5,
        **keys,
    }


def test_1_a_limit_of_57_gb_excludes_zb_2p() -> None:
    """Tests 8 GPUs of which 1F1B takes 55 GB and ZB-H2 79: a limit of 57 leaves what fits.

    sail-sg/zero-bubble-pipeline-parallelism#21: "Which do I take under my limit?"
    """
    layer = {**op(5, 5, 4, count=32, held=1.0), "static_memory": 5.75}
    model = parse_model(model_of(layer, ranks=8, memory_limit=57))
    comparison = compare(replace(model, microbatches=24), effort="fast", splitting="even")
    left_out = {(one.family, one.method): one.reason for one in comparison.left_out}
    assert "over its limit of 57 GB" in left_out["linear", "zb-h2"]
    kept = {(row.family, row.method) for row in comparison.rows}
    assert {("linear", "1f1b"), ("linear", "zb-h1")} <= kept
    assert all(max(row.peak_memory) <= 57 for row in comparison.rows)


def test_2_in_a_v_the_first_rank_holds_embedding_and_head() -> None:
    """Tests that static memory is that of every rank: #36 there."""
    heavy = {**op(1, 1, 1), "static_memory": 20}
    block = {**op(5, 5, 4, count=6), "static_memory": 2}
    document = model_of(heavy, block, heavy, placement="v", partition=[1] * 8)
    profile = parse_profile(document)
    assert profile.static_memory == (40 * GB, 4 * GB, 4 * GB, 4 * GB)
    with pytest.raises(InfeasibleError, match=r"rank 0 binds: .* 40 GB of it static memory"):
        solve(parse_profile({**document, "memory_limit": 41}))


def test_3_and_5_activations_that_appear_at_b() -> None:
    """Tests recomputation: F holds little, B adds more, W gives back all. #63, #74 there."""
    stage = {
        "F": {"time": 10, "memory": 1},
        "B": {"time": 20, "memory": 5},
        "W": {"time": 8, "memory": -6},
    }
    profile = parse_profile(profile_of(stages=stage, memory_limit=12))
    document = solve(profile)
    assert verify(document) == []
    assert max(rank["peak_memory"] for rank in document["metrics"]["ranks"]) <= 12
    unlimited = solve(replace(profile, memory_limit=(None,) * 4))
    assert document["cost"] >= unlimited["cost"]


def test_4_stages_differ_and_the_rank_that_binds_is_named() -> None:
    """Tests limits for every rank: #8, PR #6 there."""
    with pytest.raises(InfeasibleError, match="rank 2 binds") as raised:
        solve(parse_profile(profile_of(memory_limit=[16, 16, 3, 16])))
    assert raised.value.rank == 2
    assert raised.value.needed == 4 * GB
    again = solve(parse_profile(profile_of(memory_limit=[16, 16, 4, 16])))
    peaks = [rank["peak_memory"] for rank in again["metrics"]["ranks"]]
    assert peaks[2] == 4


@pytest.mark.parametrize("microbatches", [1, 2, 3, 7, 10])
@pytest.mark.parametrize("placement", ["linear", "interleaved", "v"])
def test_6_and_7_any_number_of_microbatches(placement: str, microbatches: int) -> None:
    """Tests fewer than ranks, and numbers that nothing divides, for every schedule by name.

    pytorch/pytorch#144702, #129597; pytorch/torchtitan#775.
    """
    chunks: dict[str, Any] = {} if placement == "linear" else {"placement": placement, "chunks": 2}
    profile = parse_profile(profile_of(microbatches=microbatches, **chunks))
    solved = solve(profile, effort="fast")
    assert verify(solved) == []
    made = 0
    for name in NAMED_SCHEDULES:
        try:
            document = solve(profile, method=name)
        except MethodError as error:
            assert "is made for" in str(error)
            continue
        made += 1
        assert verify(document) == []
    assert made >= 2


@pytest.mark.parametrize("ranks", [4, 6, 8])
def test_8_what_is_computed_is_told_not_what_a_name_promises(ranks: int) -> None:
    """Tests that zb-h2's bubble is what its times make of it: pytorch/pytorch#130210."""
    document = solve(parse_profile(profile_of(ranks, 2 * ranks)), method="zb-h2")
    cost, busy = float(document["cost"]), 2 * ranks * 28
    assert document["metrics"]["bubble_rate"] == pytest.approx(1 - busy / cost)
    assert document["metrics"]["bubble_rate"] > 0


def test_12_no_layer_is_lost() -> None:
    """Tests 30 layers over 4 stages: all 30 are there, and it is said. NVIDIA/Megatron-LM#1304."""
    notes: list[str] = []
    profile = parse_profile(model_of(op(5, 5, 4, count=30)), notes=notes)
    assert profile.partition is not None
    assert sum(profile.partition) == 30
    assert sum(stage.F.time for stage in profile.stages) == 30 * 5 * 10**6
    assert notes[0].startswith("30 layers given, 30 layers used")


def test_13_stages_without_layers() -> None:
    """Tests that a stage may cost nothing: NVIDIA/Megatron-LM#1852."""
    nothing = {"F": {"time": 0}, "B": {"time": 0}, "W": {"time": 0}}
    some = {"F": {"time": 10}, "B": {"time": 10}, "W": {"time": 8}}
    document = solve(parse_profile(profile_of(stages=[nothing, some, some, nothing])))
    assert verify(document) == []
    assert document["status"] == "optimal"


def test_14_a_message_that_a_person_can_act_on() -> None:
    """Tests that a wrong number says what, where and what to do: NeMo#14288."""
    with pytest.raises(ProfileError) as raised:
        parse_profile(profile_of(microbatches=0))
    said = str(raised.value)
    assert "/microbatches: 0 is too small; microbatches is an integer from 1" in said
