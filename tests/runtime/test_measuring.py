"""Tests that a measured profile is one, and says what was there to measure."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

import pytest
import torch
from torch import nn
from torch.distributed.pipelining import PipelineStage
from torch.distributed.pipelining.schedules import _Action, _validate_schedule

from nobubble.profile.reading import parse_profile
from nobubble.solve import solve
from nobubble_torch import Measured, profile
from nobubble_torch.errors import MeasureError
from nobubble_torch.measuring.orders import plain_order
from nobubble_torch.measuring.static_memory import bytes_of, optimizer_bytes
from tests.runtime.models import batch, gradients, loss_of, stages_on
from tests.runtime.ranks import Ranks
from tests.runtime.schedules import NINE

F, B, W = 0.003, 0.005, 0.002
"""Seconds that each op of stage 0 < s sleeps, times 1 + s % 2."""

WIDTH, SAMPLES, M = 64, 5, 4


class SlowInput(torch.autograd.Function):
    """Takes its time in forward, and in the backward for the input."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, factor: int) -> torch.Tensor:
        time.sleep(F * factor)
        ctx.factor = factor
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        time.sleep(B * ctx.factor)
        return gradient, None


class SlowWeight(torch.autograd.Function):
    """Takes its time in the backward for the weight."""

    @staticmethod
    def forward(ctx: Any, weight: torch.Tensor, factor: int) -> torch.Tensor:
        ctx.factor = factor
        return weight.view_as(weight)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, None]:
        time.sleep(W * ctx.factor)
        return gradient, None


class Layer(nn.Module):
    def __init__(self, stage: int) -> None:
        super().__init__()
        self.factor = 1 + stage % 2
        self.weight = nn.Parameter(torch.randn(WIDTH, WIDTH))
        self.register_buffer("scale", torch.ones(10))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        weight = SlowWeight.apply(self.weight, self.factor)
        return 2 * torch.tanh(SlowInput.apply(x, self.factor) @ weight)


def slow_loss(output: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    time.sleep(0.004)
    return ((output - target) ** 2).sum()


def measured(rank: int, placement: list[int], options: dict[str, Any]) -> tuple[Measured, int]:
    stages = [
        PipelineStage(Layer(stage), stage, len(placement), torch.device("cpu"))
        for stage, its in enumerate(placement)
        if its == rank
    ]
    parameters = [it for stage in stages for it in stage.submod.parameters()]
    inputs = torch.randn(M * SAMPLES, WIDTH)
    found = profile(
        stages,
        loss_fn=slow_loss,
        microbatches=M,
        args=(inputs,) if stages[0].is_first else (),
        target=inputs if stages[-1].is_last else None,
        discard=1,
        optimizer=torch.optim.AdamW(parameters),
        **{"steps": 3, **options},
    )
    left = sum(it.grad is not None for it in parameters)
    return found, left


@pytest.fixture(scope="module")
def linear(ranks: Ranks) -> Measured:
    answers = ranks.run(measured, [0, 1, 2, 3], {"memory_limit": 10**9})
    assert all(left == 0 for _, left in answers)
    found = [its for its, _ in answers]
    assert all(its == found[0] for its in found)
    result: Measured = found[0]
    return result


def milliseconds(found: Measured, stage: int, op: str) -> float:
    time: int = found.profile["stages"][stage][op]["time"]
    return time / 1e6


def test_a_measured_profile_can_be_solved(linear: Measured) -> None:
    """Tests that nobubble reads it as it is, memory included, and solves it."""
    document = solve(parse_profile(linear.profile), effort="fast")
    assert document["profile"]["placement"] == [0, 1, 2, 3]
    assert document["profile"]["memory_limit"] == [10**9] * 4


def test_times_are_those_of_the_ops(linear: Measured) -> None:
    """Tests that ops last as long as they sleep, and not as long as they wait for others."""
    for stage, factor in ((1, 2), (2, 1), (3, 2)):
        loss = 4 if stage == 3 else 0
        assert 3 * factor + loss <= milliseconds(linear, stage, "F") < 3 * factor + loss + 4
        assert 5 * factor <= milliseconds(linear, stage, "B") < 5 * factor + 4
        assert 2 * factor <= milliseconds(linear, stage, "W") < 2 * factor + 4
        assert 7 * factor <= milliseconds(linear, stage, "BW") < 7 * factor + 4


def test_the_first_stage_has_no_input_gradient(linear: Measured) -> None:
    """Tests that its B takes no time and frees nothing, and W has the whole backward."""
    first = linear.profile["stages"][0]
    assert milliseconds(linear, 0, "B") < 1
    assert 2 <= milliseconds(linear, 0, "W") < 6
    assert first["B"]["memory"] == 0
    assert first["W"]["memory"] == -first["F"]["memory"]


def test_memory_adds_up_and_is_that_of_the_tensors(linear: Measured) -> None:
    """Tests the exact sums, and that what tanh keeps for the backward is there after F and B."""
    message = SAMPLES * WIDTH * 4
    for stage in linear.profile["stages"]:
        assert stage["F"]["memory"] + stage["B"]["memory"] + stage["W"]["memory"] == 0
        assert stage["F"]["memory"] + stage["BW"]["memory"] == 0
        assert stage["F"]["memory"] >= 0
        assert all(stage[op]["workspace"] >= 0 for op in ("F", "B", "W", "BW"))
        held = stage["F"]["memory"] + stage["B"]["memory"]
        assert message <= held <= message + 64


def test_static_memory_is_all_that_stays(linear: Measured) -> None:
    """Tests parameters, gradients, AdamW's two moments and step counts, buffers, and messages."""
    weights, message = WIDTH * WIDTH * 4, SAMPLES * WIDTH * 4
    least = 4 * weights + 4 + 40
    for rank, static in enumerate(linear.profile["static_memory"]):
        received = (rank > 0) + (rank < 3)
        assert static >= least + M * received * message
        assert static <= least + M * (received + 3) * message


def test_messages_are_timed(linear: Measured) -> None:
    """Tests a time for every link, both ways."""
    for way in ("F", "B"):
        times = linear.profile["communication"][way]
        assert len(times) == 3
        assert all(0 < time < 50_000_000 for time in times)


def test_spread_is_reported(linear: Measured) -> None:
    """Tests quartiles around the median, for every op of every stage, with all samples."""
    assert len(linear.spread) == 16
    for it in linear.spread:
        assert it.samples == 3 * M
        assert it.lower_quartile <= it.median <= it.upper_quartile
    assert len(linear.table().splitlines()) == 17


@pytest.mark.parametrize(
    ("placement", "options"),
    [
        ([0, 1, 2, 3, 3, 2, 1, 0], {"in_flight": 1, "steps": 1}),
        (list(NINE), {"split": False, "steps": 1}),
    ],
)
def test_any_placement_is_measured(
    placement: list[int], options: dict[str, Any], ranks: Ranks
) -> None:
    """Tests V and nine uneven stages; without splitting the backward is fused."""
    found = ranks.run(measured, placement, options)[0][0]
    parse_profile(found.profile)
    assert found.profile["placement"] == placement
    backward = {stage.get("backward") for stage in found.profile["stages"]}
    assert backward == ({"fused"} if options.get("split") is False else {None})
    same_rank = [a == b for a, b in pairwise(placement)]
    assert [time == 0 for time in found.profile["communication"]["F"]] == same_rank


def stages_twice(rank: int) -> str:
    stages = stages_on(rank, [0, 1, 2, 3]) if rank else stages_on(1, [0, 1, 2, 3])
    inputs, _ = batch(4)
    try:
        profile(stages, loss_fn=loss_of("mean"), microbatches=4, args=(inputs,), target=inputs)
    except MeasureError as error:
        return str(error)
    return f"measured {gradients(stages)}"


def test_stages_that_are_there_twice_are_refused(ranks: Ranks) -> None:
    """Tests that all ranks hear of it, and none waits."""
    for answer in ranks.run(stages_twice):
        assert "the ranks have the stages [[1], [1], [2], [3]]" in answer


@pytest.mark.parametrize("placement", [(0, 1, 2, 3), (0, 1, 2, 2, 1, 0), NINE, (0, 0, 0), (1, 0)])
@pytest.mark.parametrize("microbatches", [1, 2, 7])
@pytest.mark.parametrize("split", [True, False])
@pytest.mark.parametrize("in_flight", [None, 1, 3])
def test_orders_to_measure_under_are_complete(
    placement: tuple[int, ...], microbatches: int, split: bool, in_flight: int | None
) -> None:
    """Tests by PyTorch's own check, and that no stage holds more than it may."""
    order = plain_order(placement, microbatches, split=split, in_flight=in_flight)
    ranks = max(placement) + 1
    found = _validate_schedule(order, ranks, len(placement), microbatches)
    assert [found[stage] for stage in range(len(placement))] == list(placement)
    for row in order.values():
        held: dict[int, int] = {}
        for action in filter(None, row):
            change = _change(action)
            held[action.stage_index] = held.get(action.stage_index, 0) + change
            limit = len(placement) - action.stage_index
            assert held[action.stage_index] <= min(limit, in_flight or limit)


def _change(action: _Action) -> int:
    return {"F": 1, "I": -1, "B": -1}.get(action.computation_type.value, 0)


def test_the_state_of_an_optimizer_is_foretold() -> None:
    """Tests that what it will hold after its first step is known before, for several kinds."""
    for kind, options in (
        (torch.optim.AdamW, {"amsgrad": True}),
        (torch.optim.SGD, {"momentum": 0.9, "lr": 0.1}),
        (torch.optim.SGD, {"lr": 0.1}),
        (torch.optim.Adagrad, {}),
    ):
        model = nn.Linear(10, 20)
        optimizer = kind(model.parameters(), **options)
        foretold = optimizer_bytes(optimizer)
        model(torch.ones(1, 10)).sum().backward()
        optimizer.step()
        assert foretold == optimizer_bytes(optimizer)


def test_a_storage_counts_once() -> None:
    """Tests that tied parameters and views are not counted twice."""
    weight = torch.zeros(4, 5)
    assert bytes_of([weight, weight[0], weight.T]) == 80
