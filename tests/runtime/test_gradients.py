"""Tests that a schedule, loaded or exported, computes what a single process computes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch.distributed.pipelining.schedules import _PipelineScheduleRuntime

from nobubble.exports import export
from nobubble_torch import load
from tests.runtime.models import alone, batch, gradients, loss_of, stages_on
from tests.runtime.ranks import Ranks
from tests.runtime.schedules import NAMES, schedule

CLOSE = 1e-10
STEPS = 2


def train(
    rank: int, document: dict[str, Any], reduction: str
) -> tuple[dict[str, torch.Tensor], list[float]]:
    stages = stages_on(rank, document["placement"])
    runtime = load(document, stages, loss_fn=loss_of(reduction), synchronous=True)
    return steps(runtime, stages, document)


def train_from_csv(
    rank: int, document: dict[str, Any], file: Path, form: Any
) -> tuple[dict[str, torch.Tensor], list[float]]:
    stages = stages_on(rank, document["placement"])
    m = document["profile"]["microbatches"]
    runtime = _PipelineScheduleRuntime(stages, m, loss_fn=loss_of("mean"), scale_grads=True)
    runtime._load_csv(str(file), format=form)
    return steps(runtime, stages, document)


def steps(
    runtime: Any, stages: list[Any], document: dict[str, Any]
) -> tuple[dict[str, torch.Tensor], list[float]]:
    inputs, targets = batch(document["profile"]["microbatches"])
    losses: list[torch.Tensor] = []
    for _ in range(STEPS):
        for stage in stages:
            stage.submod.zero_grad()
        args = (inputs,) if stages[0].is_first else ()
        runtime.step(*args, target=targets if stages[-1].is_last else None, losses=losses)
    return gradients(stages), [loss.item() for loss in losses]


def assert_same(answers: list[Any], document: dict[str, Any], reduction: str) -> None:
    placement, m = document["placement"], document["profile"]["microbatches"]
    expected, losses = alone(len(placement), m, reduction)
    found = {key: value for its, _ in answers for key, value in its.items()}
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        error = (found[key] - value).norm() / value.norm()
        assert error < CLOSE, f"{key}: {error}"
    for rank, (_, its) in enumerate(answers):
        assert its == (losses if rank == placement[-1] else [])


@pytest.mark.parametrize("name", NAMES)
def test_gradients_and_losses_are_those_of_one_process(name: str, ranks: Ranks) -> None:
    """Tests load() on every kind of schedule, over two steps, in double precision."""
    document = schedule(name)
    assert_same(ranks.run(train, document, "mean"), document, "mean")


def test_gradients_of_a_sum_are_not_scaled(ranks: Ranks) -> None:
    """Tests that the scaling follows the loss."""
    document = schedule("v")
    assert_same(ranks.run(train, document, "sum"), document, "sum")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("name_of_format", "form"),
    [("torch-csv", "compute_only"), ("torch-csv-comms", "compute_comms")],
)
def test_exports_compute_the_same(
    name: str, name_of_format: str, form: str, ranks: Ranks, tmp_path: Path
) -> None:
    """Tests both CSV formats in PyTorch's own runtime, without nobubble_torch."""
    document = schedule(name)
    file = tmp_path / "schedule.csv"
    file.write_text(export(document, name_of_format), encoding="utf-8")  # type: ignore[arg-type]
    assert_same(ranks.run(train_from_csv, document, file, form), document, "mean")
