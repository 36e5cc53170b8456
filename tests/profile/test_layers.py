"""Tests that stages made of layers take what their layers take."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nobubble.profile.canonical import profile_sha256
from nobubble.profile.document import profile_document
from nobubble.profile.layered import Layer, stage_of
from nobubble.profile.reading import parse_model, parse_profile
from tests.partition.models import model_of, op
from tests.strategies import stages


@given(st.lists(stages(), min_size=1, max_size=5))
def test_times_and_memory_add_up(costs: list[Any]) -> None:
    """Tests that nothing of a layer is lost in its stage, and that its memory is still balanced."""
    made = stage_of([Layer(None, cost) for cost in costs])
    for name in ("F", "B", "W", "BW"):
        ops = [getattr(cost, name) for cost in costs]
        whole = getattr(made, name)
        assert whole.time == sum(each.time for each in ops)
        assert whole.memory == sum(each.memory for each in ops)
        assert whole.workspace >= max(each.workspace for each in ops)
    assert made.F.memory + made.B.memory + made.W.memory == 0
    assert made.F.memory + made.BW.memory == 0


@given(st.lists(stages(), min_size=1, max_size=5))
def test_no_moment_within_an_op_holds_more(costs: list[Any]) -> None:
    """Tests that layers run one after the other never hold more than their stage says."""
    made = stage_of([Layer(None, cost) for cost in costs])
    for name, order in (("F", costs), ("B", costs[::-1]), ("W", costs[::-1])):
        held, peak = 0, 0
        for cost in order:
            each = getattr(cost, name)
            peak = max(peak, held + max(0, each.memory) + each.workspace)
            held += each.memory
        whole = getattr(made, name)
        assert peak <= max(0, whole.memory) + whole.workspace


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([{}, {}], "split"),
        ([{}, {"BW": {"time": 5}}], "auto"),
        ([{"backward": "fused"}, {"BW": {"time": 5}}], "fused"),
        ([{"backward": "split"}, {"backward": "auto", "BW": {"time": 5}}], "split"),
        ([{"backward": "split"}, {"backward": "fused"}], "fused"),
    ],
)
def test_a_stage_runs_backward_as_its_layers_allow(
    given: list[dict[str, Any]], expected: str
) -> None:
    """Tests how a stage runs backward whose layers differ."""
    layers = [{**op(1, 2, 3), **keys} for keys in given]
    profile = parse_profile(model_of(*layers, ranks=1))
    assert profile.stages[0].backward == expected


def test_static_memory_goes_with_the_layers() -> None:
    """Tests that in a V the first rank holds the embedding and the head (needs of V users)."""
    embedding = {**op(1, 0, 1), "static_memory": 7}
    block = {**op(5, 5, 4, count=6), "static_memory": 1}
    head = {**op(5, 5, 5), "static_memory": 7}
    document = model_of(embedding, block, head, ranks=2, static_memory=0.5)
    linear = parse_profile(document)
    v = parse_profile({**document, "placement": "v", "partition": [2, 2, 2, 2]})
    gb = 10**9
    assert linear.static_memory == (
        (7.5 + linear.partition[0] - 1) * gb if linear.partition else 0,
        (7.5 + linear.partition[1] - 1) * gb if linear.partition else 0,
    )
    assert v.static_memory == (16.5 * gb, 4.5 * gb)


def test_what_was_given_and_what_was_used_is_said() -> None:
    """Tests that a note tells the number of layers, and those of every stage."""
    notes: list[str] = []
    parse_profile(model_of(op(1, 1, 1, count=30)), notes=notes)
    assert notes == ["30 layers given, 30 layers used: 8, 8, 7, 7 in the 4 stages"]


def test_communication_is_that_of_the_cut() -> None:
    """Tests that with a time for every boundary between layers the cut picks its own."""
    document = model_of(op(1, 1, 1, count=4), ranks=2, communication=[1, 2, 3])
    assert parse_profile({**document, "partition": [3, 1]}).communication_forward == (3 * 10**6,)
    assert parse_profile({**document, "partition": [1, 3]}).communication_forward == (10**6,)


def test_a_schedule_says_the_layers_of_its_stages() -> None:
    """Tests that the document of a profile keeps the partition, and that it changes no hash."""
    profile = parse_profile(model_of(op(2, 2, 2, count=10)))
    document = profile_document(profile)
    assert document["partition"] == [3, 3, 2, 2]
    again = parse_profile(document)
    assert again == profile
    without = parse_profile({key: document[key] for key in document if key != "partition"})
    assert profile_sha256(without) == profile_sha256(profile)


def test_a_model_keeps_what_is_open() -> None:
    """Tests that reading a model does not settle its placement, unless it is given."""
    document = model_of(op(2, 2, 2, count=10))
    assert parse_model(document).placement is None
    assert parse_model({**document, "placement": "v"}).placement == (0, 1, 2, 3, 3, 2, 1, 0)
    model = parse_model(document)
    with pytest.raises(ValueError, match="no partition of 10 layers"):
        model.profile([0, 1, 2, 3], [2, 2, 2, 2])


def test_a_profile_of_stages_is_a_model_of_as_many_layers() -> None:
    """Tests that every stage can be taken as a layer, and put together again."""
    stage = {key: value for key, value in op(3, 3, 2).items() if key != "count"}
    document = {
        **{key: value for key, value in model_of(ranks=2).items() if key != "layers"},
        "placement": "v",
        "stages": stage,
    }
    model = parse_model(document)
    assert model.profile((0, 1, 1, 0), (1, 1, 1, 1)).stages == parse_profile(document).stages
    merged = model.profile((0, 1), (2, 2))
    assert merged.stages[0].F.time == 6 * 10**6
