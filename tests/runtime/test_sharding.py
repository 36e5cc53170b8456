"""Tests a pipeline of two ranks twice over, with the stages sharded over the two (FSDP)."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.pipelining import PipelineStage

from nobubble.profile.reading import parse_profile
from nobubble.schedule.writing import json_text
from nobubble.solve import solve
from nobubble_torch import load, profile
from tests.runtime.models import alone, batch, loss_of, model
from tests.runtime.ranks import Ranks

PLACEMENT = [0, 1, 1, 0]
M = 4
COST = {"F": {"time": 10}, "B": {"time": 10}, "W": {"time": 8}}


@cache
def text() -> str:
    made = solve(
        parse_profile(
            {
                "schema": "nobubble.profile/1",
                "time_unit": "ms",
                "ranks": 2,
                "microbatches": M,
                "placement": "v",
                "stages": COST,
            }
        ),
        effort="fast",
    )
    return json_text(made)


def trained(rank: int, path: str, measure: bool) -> dict[str, torch.Tensor]:
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("data", "pipeline"))
    modules = model(len(PLACEMENT))
    here = mesh["pipeline"].get_local_rank()
    group = mesh["pipeline"].get_group()
    stages = []
    for stage, its in enumerate(PLACEMENT):
        if its == here:
            module: Any = fully_shard(modules[stage], mesh=mesh["data"])
            stages.append(PipelineStage(module, stage, 4, torch.device("cpu"), group=group))
    inputs, targets = batch(M)
    options: dict[str, Any] = {
        "args": (inputs,) if here == 0 else (),
        "target": targets if here == 0 else None,
    }
    if measure:
        found = profile(stages, loss_fn=loss_of("mean"), microbatches=M, steps=1, **options)
        parse_profile(found.profile)
    runtime = load(path, stages, loss_fn=loss_of("mean"))
    runtime.step(*options["args"], target=options["target"])
    gradients: dict[str, torch.Tensor] = {}
    for built in stages:
        for name, parameter in built.submod.named_parameters():
            sharded: Any = parameter.grad
            gradients[f"{built.stage_index}.{name}"] = sharded.full_tensor()
    return gradients


@pytest.mark.parametrize("measure", [False, True])
def test_sharded_stages_compute_the_same(ranks: Ranks, tmp_path: Any, measure: bool) -> None:
    """Tests that stages are gathered before their ops, also after a profile was measured."""
    path = tmp_path / "schedule.json"
    path.write_text(text(), encoding="utf-8")
    answers = ranks.run(trained, str(path), measure)
    expected, _ = alone(len(PLACEMENT), M, "mean")
    for replica in (answers[:2], answers[2:]):
        found = {key: value for its in replica for key, value in its.items()}
        assert found.keys() == expected.keys()
        for key, value in expected.items():
            assert (found[key] - value).norm() / value.norm() < 1e-10
