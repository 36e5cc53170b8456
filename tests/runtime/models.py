"""A small model cut into stages, and what a single process makes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from torch.distributed.pipelining import PipelineStage

WIDTH = 8
SAMPLES = 3
"""Of a microbatch."""


class Block(nn.Module):
    """Two linear layers around a nonlinearity, with a way past them."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 2 * WIDTH)
        self.down = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(torch.tanh(self.up(self.norm(x))))


def model(stages: int) -> list[nn.Module]:
    """Give the modules of all stages, the same on every call."""
    torch.manual_seed(stages)
    return [Block().double() for _ in range(stages)]


def batch(microbatches: int) -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(1000 + microbatches)
    shape = (microbatches * SAMPLES, WIDTH)
    return torch.randn(shape, dtype=torch.float64), torch.randn(shape, dtype=torch.float64)


def loss_of(reduction: str) -> nn.Module:
    return nn.MSELoss(reduction=reduction)


def stages_on(rank: int, placement: Sequence[int]) -> list[PipelineStage]:
    """Build the stages of a rank."""
    modules = model(len(placement))
    return [
        PipelineStage(modules[stage], stage, len(placement), torch.device("cpu"))
        for stage, its in enumerate(placement)
        if its == rank
    ]


def gradients(stages: Sequence[Any]) -> dict[str, torch.Tensor]:
    """Give the gradients of some stages by stage and parameter."""
    return {
        f"{stage.stage_index}.{name}": parameter.grad.clone()
        for stage in stages
        for name, parameter in stage.submod.named_parameters()
    }


def alone(
    stages: int, microbatches: int, reduction: str
) -> tuple[dict[str, torch.Tensor], list[float]]:
    """Give gradients and losses of a single process, microbatch by microbatch."""
    modules = model(stages)
    inputs, targets = batch(microbatches)
    loss_fn = loss_of(reduction)
    losses = []
    for x, y in zip(inputs.chunk(microbatches), targets.chunk(microbatches), strict=True):
        for module in modules:
            x = module(x)
        loss = loss_fn(x, y)
        loss.backward()
        losses.append(loss.item())
    found = {
        f"{stage}.{name}": parameter.grad / (microbatches if reduction == "mean" else 1)
        for stage, module in enumerate(modules)
        for name, parameter in module.named_parameters()
        if parameter.grad is not None
    }
    return found, losses
