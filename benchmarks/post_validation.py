"""What an iteration takes with post-validation and without, beside the plan's span and makespan.

Needs torch and nobubble_torch. Four processes; every op sleeps, so that ranks wait for each other
as on GPUs though they share cores: ``python -m benchmarks.post_validation``
"""

from __future__ import annotations

import argparse
import os
import socket
import time
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage
from torch.multiprocessing.spawn import start_processes

from benchmarks.tables import print_table
from nobubble.profile.reading import parse_profile
from nobubble.solve import solve
from nobubble_torch import PostValidation, load

RANKS, MICROBATCHES, WIDTH = 4, 8, 16
TIMES = {"F": 20.0, "B": 20.0, "W": 16.0}
"""Of every op, in ms."""
STEPS = 12


class Waiting(torch.autograd.Function):
    """Passes a tensor on, and takes its time doing so: forward, and backward."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, forward: float, backward: float) -> torch.Tensor:
        """Sleep so many ms."""
        time.sleep(forward / 1000)
        ctx.ms = backward
        return x.view_as(x)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        """Sleep so many ms."""
        time.sleep(ctx.ms / 1000)
        return gradients[0], None, None


class Stage(nn.Module):
    """A layer whose F, B and W take their times."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(WIDTH, WIDTH)
        self.bias = nn.Parameter(torch.zeros(WIDTH))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take and give activations."""
        x = Waiting.apply(x, TIMES["F"], TIMES["B"])
        y: torch.Tensor = self.layer(x) + Waiting.apply(self.bias, 0.0, TIMES["W"])
        return y


def document() -> dict[str, Any]:
    """Solve for rank span, with twice the memory of 1F1B."""
    profile = parse_profile(
        {
            "schema": "nobubble.profile/1",
            "time_unit": "ms",
            "memory_unit": "MB",
            "ranks": RANKS,
            "microbatches": MICROBATCHES,
            "stages": {
                "F": {"time": TIMES["F"], "memory": 2},
                "B": {"time": TIMES["B"], "memory": -1},
                "W": {"time": TIMES["W"], "memory": -1},
            },
            "communication": 0.5,
            "memory_limit": 4 * RANKS,
            "objective": "rank_span",
        }
    )
    return dict(solve(profile))


def run_rank(rank: int, plan: dict[str, Any], clipped: int) -> None:
    """Train both ways on one rank; print the table on rank 0."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=RANKS)
    took = [_train(rank, plan, validated, clipped) for validated in (False, True)]
    if rank == 0:
        metrics = plan["metrics"]
        print_table(
            ["ms an iteration", "planned", "measured"],
            [
                ["waiting for all ranks", f"{float(metrics['makespan']):.1f}", f"{took[0]:.1f}"],
                ["post-validated", f"{float(metrics['rank_span']):.1f}", f"{took[1]:.1f}"],
            ],
        )
    dist.barrier()
    dist.destroy_process_group()


def _train(rank: int, plan: dict[str, Any], validated: bool, clipped: int) -> float:
    """Give ms an iteration, on this rank, over all steps but the first two."""
    torch.manual_seed(rank)
    stage = PipelineStage(Stage(), rank, RANKS, torch.device("cpu"))
    parameters = list(stage.submod.parameters())
    optimizer = torch.optim.AdamW(parameters, lr=1e-3)
    after = PostValidation(optimizer, max_norm=1e3) if validated else None
    runtime = load(
        plan, [stage], loss_fn=nn.MSELoss(), post_validation=after, synchronous=not validated
    )
    generator = torch.Generator().manual_seed(0)
    inputs, targets = (torch.randn(MICROBATCHES, WIDTH, generator=generator) for _ in range(2))
    begin = 0.0
    for step in range(STEPS + 2):
        if step == 2:
            begin = time.perf_counter()
        (after or optimizer).zero_grad()
        target = targets if stage.is_last else None
        if stage.is_last and 2 <= step < 2 + clipped:
            target = 1e6 * targets
        runtime.step(*([inputs] if stage.is_first else []), target=target)
        if after is not None:
            after.step()
        else:
            _clip_and_step(optimizer, parameters)
    took = 1000 * (time.perf_counter() - begin) / STEPS
    if after is not None:
        after.flush()
    dist.barrier()
    return took


def _clip_and_step(optimizer: torch.optim.Optimizer, parameters: list[nn.Parameter]) -> None:
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    square = sum((gradient.square().sum() for gradient in gradients), torch.zeros(()))
    dist.all_reduce(square)
    factor = torch.clamp(1e3 / (square.sqrt() + 1e-6), max=1.0)
    for gradient in gradients:
        gradient.mul_(factor)
    optimizer.step()


def main() -> None:
    """Start the ranks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clipped", type=int, default=0, help="steps in which clipping is due")
    clipped: int = parser.parse_args().clipped
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    plan = document()
    start_processes(run_rank, args=(plan, clipped), nprocs=RANKS, start_method="fork")


if __name__ == "__main__":
    main()
