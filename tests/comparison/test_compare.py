"""Tests that families are compared fairly, and the best recommended."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from nobubble.comparison.candidates import candidates
from nobubble.comparison.compare import Comparison, compare
from nobubble.comparison.families import families
from nobubble.comparison.report import comparison_report, recommendation
from nobubble.comparison.sweep import frontier_report, sweep_memory
from nobubble.errors import InfeasibleError
from nobubble.profile.reading import parse_model
from nobubble.verifier.verify import verify
from tests.partition.models import model_of, op

BLOCK = {**op(5, 5, 4, count=14), "static_memory": 1}
EMBEDDING = {**op(1, 0, 2, held=0.5), "static_memory": 3}
HEAD = {**op(6, 6, 6), "static_memory": 3}


def small(**keys: Any) -> dict[str, Any]:
    """Give a model of 16 layers for 4 ranks."""
    return model_of(EMBEDDING, BLOCK, HEAD, **keys)


@pytest.fixture(scope="module")
def compared() -> Comparison:
    """Compare the small model under a limit that leaves out some."""
    return compare(parse_model(small(memory_limit=50)), effort="fast", splitting="min-max")


def test_every_family_is_there(compared: Comparison) -> None:
    """Tests that linear, interleaved with 2, 3 and 4 stages a rank, and V are compared."""
    expected = {"linear", "interleaved-2", "interleaved-3", "interleaved-4", "v"}
    assert {row.family for row in compared.rows} == expected


def test_every_schedule_is_verified_and_has_all_layers(compared: Comparison) -> None:
    """Tests that no row is without a schedule that holds, nor a layer lost (needs 12)."""
    for row in compared.rows:
        assert verify(row.document) == []
        assert row.partition is not None
        assert sum(row.partition) == 16
        assert row.lower_bound <= row.cost


def test_the_best_comes_first(compared: Comparison) -> None:
    """Tests that rows are sorted by cost, and that the first is recommended with its reason."""
    costs = [row.cost for row in compared.rows]
    assert costs == sorted(costs)
    words = recommendation(compared)
    assert words.startswith(f"Take {compared.best.family}, ")
    assert f"{compared.best.cost:f} ms (makespan)" in words
    assert "shorter than 1f1b" in words
    assert "of 50 GB, on rank" in words


def test_schedules_by_name_stand_beside_the_solved(compared: Comparison) -> None:
    """Tests that a solve is never longer than a schedule by name that keeps to the rules."""
    for family in ("linear", "v"):
        rows = [row for row in compared.rows if row.family == family]
        solved = min(row.cost for row in rows if row.method == "auto")
        split = [row.cost for row in rows if row.backward == "split"]
        assert solved <= min(split)
    assert {"1f1b", "zb-h1"} <= {row.method for row in compared.rows if row.family == "linear"}


def test_what_does_not_fit_is_left_out_with_its_reason(compared: Comparison) -> None:
    """Tests that a limit excludes what holds more, by name and with figures (needs 1)."""
    left_out = {(one.family, one.method): one.reason for one in compared.left_out}
    assert "over its limit of 50 GB" in left_out["linear", "zb-h2"]
    assert "holds" in left_out["linear", "gpipe"]


def test_a_model_with_few_layers_leaves_families_out() -> None:
    """Tests that a family that needs more layers than there are is named."""
    found, left_out = families(parse_model(model_of(op(1, 1, 1, count=9))))
    assert [family.name for family in found] == ["linear", "interleaved-2", "v"]
    assert [one.reason for one in left_out] == [
        "12 stages, but only 9 layers",
        "16 stages, but only 9 layers",
    ]


def test_a_placement_of_ones_own_is_compared_too() -> None:
    """Tests that a placement that is no family of ours is one more row, with its partition."""
    document = small(placement=[0, 1, 2, 3, 0], partition=[4, 4, 3, 3, 2])
    found = candidates(parse_model(document), splitting="min-max").candidates
    own = [one for one in found if one.family == "as given"]
    assert {one.profile.partition for one in own} == {(4, 4, 3, 3, 2)}


def test_split_fused_and_free_are_compared_where_there_is_a_choice() -> None:
    """Tests that with a time for BW each placement is solved all split, all fused, and freely."""
    layer = {**op(5, 5, 4, count=16), "BW": {"time": 7.5}}
    found = candidates(parse_model(model_of(layer)), splitting="even").candidates
    ways = [one.backward for one in found if one.family == "v" and one.method == "auto"]
    assert ways == ["split", "fused", "auto"]


def test_nothing_fits() -> None:
    """Tests that where no family fits, the one that needs least is told."""
    with pytest.raises(InfeasibleError, match=r"nothing fits; .* needs least: rank \d binds"):
        compare(parse_model(small(memory_limit=4)), effort="fast", splitting="min-max")


def test_stages_are_put_together_but_not_cut() -> None:
    """Tests that of a profile with two stages a rank linear and V can be made, and no more."""
    stage = {key: value for key, value in op(5, 5, 4).items() if key != "count"}
    document = {key: value for key, value in model_of().items() if key != "layers"}
    model = parse_model({**document, "placement": "v", "stages": stage})
    comparison = compare(model, effort="fast")
    assert {row.family for row in comparison.rows} == {"linear", "interleaved-2", "v"}
    assert {one.family for one in comparison.left_out} >= {"interleaved-3", "interleaved-4"}


def test_the_objective_decides() -> None:
    """Tests that both figures are told, and the one asked for is what counts."""
    model = parse_model(small(objective="rank_span"))
    comparison = compare(model, effort="fast", splitting="min-max")
    report = comparison_report(comparison)
    assert [row["cost"] for row in report["rows"]] == [row["rank_span"] for row in report["rows"]]
    assert all(row["makespan"] >= row["rank_span"] for row in report["rows"])


def test_the_frontier_falls() -> None:
    """Tests that more memory never costs time, and that each point is a schedule that fits it."""
    model = parse_model(small())
    frontier = sweep_memory(model, effort="fast", splitting="min-max")
    best = frontier.best()
    memory = [point.memory for _, point in best]
    cost = [point.cost for _, point in best]
    assert memory == sorted(memory)
    assert cost == sorted(cost, reverse=True)
    assert len(best) > 3
    limit = best[1][1].memory
    limited = replace(model, memory_limit=(int(limit * 10**9),) * 4)
    under = compare(limited, effort="fast", splitting="min-max")
    assert under.best.cost <= best[1][1].cost
    report = frontier_report(frontier)
    assert report["families"][0]["family"] == "linear"
    named = {point["method"] for point in report["families"][0]["named"]}
    assert {"1f1b", "zb-h1", "zb-h2"} <= named
    assert all(isinstance(point["memory"], Decimal) for point in report["best"])


def test_what_may_not_be_split_is_not_split_by_name() -> None:
    """Tests that a schedule by name that splits a fused stage is left out, with the stage."""
    layer = {**op(5, 5, 4, count=8), "BW": {"time": 7}, "backward": "fused"}
    comparison = compare(parse_model(model_of(layer)), effort="fast", splitting="even")
    assert {row.backward for row in comparison.rows} == {"fused"}
    left_out = {(one.family, one.method): one.reason for one in comparison.left_out}
    reason = "splits the backward of stage 0, which is never split"
    assert left_out["linear", "zb-h1"] == reason
    assert left_out["v", "zb-v"] == reason
