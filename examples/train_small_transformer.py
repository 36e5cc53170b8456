"""Measure a small transformer, plan its pipeline, train it by the plan, and compare with 1F1B.

On a computer without GPU, four processes are started:

    python examples/train_small_transformer.py

On GPUs, one process each, and a model that keeps them busy:

    torchrun --nproc-per-node 8 examples/train_small_transformer.py \
        --layers 32 --width 2048 --heads 16 --sequence 2048 --microbatches 32

It needs torch, nobubble_torch, and nobubble on rank 0. What it measures and plans it leaves in a
folder: profile.json, and a schedule and a run of each kind.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed.pipelining import PipelineStage
from torch.multiprocessing.spawn import start_processes

import nobubble_torch
from small_transformer import StageModule, batch, loss_fn

METHODS = {"1f1b": "1F1B", "auto": "planned"}


@dataclass(frozen=True)
class Trained:
    """What came of some steps under one schedule, on this rank.

    Attributes
    ----------
    losses : list of float
        Of every step; empty where the last stage is not.
    gradients : list of Tensor
        After the first step.
    run : dict
        What was recorded.
    seconds : float
        Median time of a step, its optimizer included.
    """

    losses: list[float]
    gradients: list[torch.Tensor]
    run: dict[str, Any]
    seconds: float


def options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description="Measure a small transformer, plan its pipeline, and compare with 1F1B."
    )
    add = parser.add_argument
    add("--ranks", type=int, default=4, help="processes to start, without torchrun")
    add("--microbatches", type=int, default=8, help="microbatches of a step")
    add("--samples", type=int, default=2, help="samples of a microbatch")
    add("--layers", type=int, default=8)
    add("--width", type=int, default=64)
    add("--heads", type=int, default=4)
    add("--sequence", type=int, default=32, help="tokens of a sample")
    add("--steps", type=int, default=8, help="steps under each schedule")
    add("--sleep", type=float, help="ms by which every op is lengthened [8 without GPUs, else 0]")
    add("--effort", default="normal", choices=["fast", "normal", "max"], help="of the solver")
    add("--folder", type=Path, default=Path("build/example"), help="where the files go")
    return parser.parse_args()


def main() -> None:
    """Run as one rank of torchrun's, or start all ranks here."""
    chosen = options()
    if chosen.sleep is None:
        chosen.sleep = 0.0 if torch.cuda.is_available() and "RANK" in os.environ else 8.0
    if "RANK" in os.environ:
        run_rank(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), chosen)
        return
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    ranks = chosen.ranks
    # Forked processes need not import torch again, which takes them longer than the rest.
    method = "fork" if sys.platform == "linux" else "spawn"
    start_processes(run_rank, args=(ranks, chosen), nprocs=ranks, start_method=method)


def run_rank(rank: int, ranks: int, chosen: argparse.Namespace) -> None:
    """Do what a rank does: measure, wait for the plans, train by each, compare."""
    on_gpu = torch.cuda.is_available() and "LOCAL_RANK" in os.environ
    if on_gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        device = torch.device("cuda", torch.cuda.current_device())
    else:
        torch.set_num_threads(1)
        device = torch.device("cpu")
    dist.init_process_group("nccl" if on_gpu else "gloo", rank=rank, world_size=ranks)

    profile(rank, ranks, device, chosen)
    if rank == 0:
        for method in METHODS:
            solve(method, chosen)
    dist.barrier()
    trained = {method: train(rank, ranks, device, method, chosen) for method in METHODS}
    difference = compare(trained["1f1b"], trained["auto"], device)
    losses: list[Any] = [None] * ranks
    dist.all_gather_object(losses, {method: its.losses for method, its in trained.items()})
    if rank == 0:
        report(trained, losses[-1], difference, chosen)
    dist.barrier()
    dist.destroy_process_group()


def stage_of(
    rank: int, ranks: int, device: torch.device, chosen: argparse.Namespace
) -> PipelineStage:
    """Build this rank's stage, with the same weights every time."""
    torch.manual_seed(rank)
    module = StageModule(
        rank,
        ranks,
        layers=chosen.layers,
        width=chosen.width,
        heads=chosen.heads,
        sequence=chosen.sequence,
        sleep=chosen.sleep / 1000,
    )
    return PipelineStage(module.to(device), rank, ranks, device)


def step_inputs(
    stage: PipelineStage, step: int, device: torch.device, chosen: argparse.Namespace
) -> tuple[tuple[torch.Tensor, ...], torch.Tensor | None]:
    """Give what a step takes on this rank."""
    tokens, following = batch(step, chosen.microbatches * chosen.samples, chosen.sequence)
    args = (tokens.to(device),) if stage.is_first else ()
    return args, following.to(device) if stage.is_last else None


def profile(rank: int, ranks: int, device: torch.device, chosen: argparse.Namespace) -> None:
    """Measure, and write profile.json."""
    stage = stage_of(rank, ranks, device, chosen)
    args, target = step_inputs(stage, 0, device, chosen)
    measured = nobubble_torch.profile(
        [stage],
        loss_fn=loss_fn,
        microbatches=chosen.microbatches,
        args=args,
        target=target,
        steps=2,
        discard=1,
        # Processes that share cores would measure each other: so one at a time works.
        in_flight=None if device.type == "cuda" else 1,
        optimizer=torch.optim.AdamW(stage.submod.parameters()),
    )
    if rank == 0:
        chosen.folder.mkdir(parents=True, exist_ok=True)
        measured.write(chosen.folder / "profile.json")
        print(f"Measured, in ms:\n{measured.table()}\n", flush=True)


def solve(method: str, chosen: argparse.Namespace) -> None:
    """Let nobubble make a schedule."""
    nobubble = shutil.which("nobubble")
    program = [nobubble] if nobubble else [sys.executable, "-m", "nobubble_cli"]
    files = [str(chosen.folder / "profile.json"), "-o", str(chosen.folder / f"{method}.json")]
    command = [*program, "solve", *files, "--method", method, "--effort", chosen.effort]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"nobubble solve failed:\n{done.stderr}")


def train(
    rank: int, ranks: int, device: torch.device, method: str, chosen: argparse.Namespace
) -> Trained:
    """Train from the same start by one schedule, and record it."""
    stage = stage_of(rank, ranks, device, chosen)
    optimizer = torch.optim.AdamW(stage.submod.parameters(), lr=3e-3)
    runtime = nobubble_torch.load(
        chosen.folder / f"{method}.json", [stage], loss_fn=loss_fn, scale_grads=True
    )
    mean_losses: list[float] = []
    gradients: list[torch.Tensor] = []
    seconds: list[float] = []
    with nobubble_torch.record(runtime, discard=1) as recording:
        for step in range(chosen.steps + 1):
            args, target = step_inputs(stage, step, device, chosen)
            losses: list[torch.Tensor] = []
            dist.barrier()
            begin = time.perf_counter()
            optimizer.zero_grad()
            runtime.step(*args, target=target, losses=losses, return_outputs=False)
            gradients = gradients or [
                it.grad.clone() for it in stage.submod.parameters() if it.grad is not None
            ]
            optimizer.step()
            dist.barrier()
            seconds.append(time.perf_counter() - begin)
            mean_losses += [torch.stack(losses).mean().item()] if losses else []
    if rank == 0:
        recording.write(chosen.folder / f"{method}.run.json")
    return Trained(mean_losses, gradients, recording.document, statistics.median(seconds[1:]))


def compare(one: Trained, other: Trained, device: torch.device) -> float:
    """Give the largest relative difference of the gradients of a parameter, over all ranks."""
    differences = [
        float((a - b).norm() / a.norm().clamp_min(1e-30))
        for a, b in zip(one.gradients, other.gradients, strict=True)
    ]
    largest = torch.tensor(max(differences), device=device)
    dist.all_reduce(largest, dist.ReduceOp.MAX)
    return largest.item()


def makespan(step: dict[str, Any]) -> int:
    """Give the time from the first start to the last end of an op, in ns."""
    actions = [action for rank in step["ranks"] for action in rank["actions"]]
    return max(action["end"] for action in actions if action["op"] in ("F", "B", "W", "BW"))


def report(
    trained: dict[str, Trained],
    losses: dict[str, list[float]],
    difference: float,
    chosen: argparse.Namespace,
) -> None:
    """Print what was predicted beside what was measured."""
    print(f"An iteration of {chosen.microbatches} microbatches, in ms, without the optimizer step:")
    print(f"{'':10} predicted   measured (median of {chosen.steps})")
    for method, title in METHODS.items():
        schedule = json.loads((chosen.folder / f"{method}.json").read_text(encoding="utf-8"))
        predicted = schedule["metrics"]["makespan"] / 1e6
        steps = [makespan(step) for step in trained[method].run["steps"]]
        print(f"{title:10} {predicted:9.1f}  {statistics.median(steps) / 1e6:9.1f}")
        if method == "auto":
            print(f"{'bound':10} {schedule['lower_bound'] / 1e6:9.1f}   ({schedule['method']})")
    for method, title in METHODS.items():
        first, *_, last = losses[method]
        took = trained[method].seconds * 1000
        print(f"{title}: loss {first:.4f} to {last:.4f}; a step with its optimizer {took:.1f} ms")
    print(f"Gradients of the first step: largest relative difference {difference:.1e}")
    print(f"Files: {chosen.folder}")
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    if chosen.sleep:
        print(
            f"\nOps were lengthened by sleeping, F and B by {chosen.sleep:g} ms, W by "
            f"{0.8 * chosen.sleep:g} ms.\nProcesses on {cores} cores sleep at the same time, but "
            "may not compute at the same time: so this\nshows how ranks wait for each other, and "
            "not how fast this computer trains."
        )
    elif not torch.cuda.is_available():
        print(
            f"\nThe ranks share {cores} cores. With less than one each they wait for cores, which "
            "no\nschedule changes and no prediction knows; --sleep 8 shows how they wait for each "
            "other."
        )


if __name__ == "__main__":
    main()
