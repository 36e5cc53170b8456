"""Real processes that talk through gloo: the ranks of a pipeline, kept from test to test."""

from __future__ import annotations

import datetime
import multiprocessing
import os
import traceback
import warnings
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

SECONDS = 60
"""After which a job counts as hanging; no job takes a fifth of that."""


class RankError(AssertionError):
    """A job failed on a rank in another way than by an answer."""


class Ranks:
    """A process for each rank; all run the same job, and give its answers.

    Processes are forked once torch is imported, which takes a second where starting them anew
    takes ten. After a job that hangs they are replaced.
    """

    def __init__(self, count: int, folder: Path) -> None:
        self._count = count
        self._folder = folder
        self._started = 0
        self._pipes: list[Connection] = []
        self._processes: list[Any] = []

    def run(self, job: Callable[..., Any], *args: Any) -> list[Any]:
        """Run ``job(rank, *args)`` on every rank.

        Returns
        -------
        list
            The answer of every rank; an exception that it raised counts as one.
        """
        if not self._processes:
            self._start()
        for pipe in self._pipes:
            pipe.send((job, args))
        answers: list[Any] = []
        for rank, pipe in enumerate(self._pipes):
            if not pipe.poll(SECONDS):
                self.stop()
                raise RankError(f"rank {rank} hangs in {job.__name__}")
            answers.append(pipe.recv())
        if any(isinstance(answer, _Broken) for answer in answers):
            self.stop()
            raise RankError("\n".join(str(it) for it in answers if isinstance(it, _Broken)))
        return answers

    def stop(self) -> None:
        for process in self._processes:
            process.kill()
            process.join()
        self._processes, self._pipes = [], []

    def _start(self) -> None:
        context = multiprocessing.get_context("fork")
        self._started += 1
        store = self._folder / f"store-{self._started}"
        for rank in range(self._count):
            here, there = context.Pipe()
            process = context.Process(
                target=_serve, args=(rank, self._count, str(store), there), daemon=True
            )
            with warnings.catch_warnings():
                # Later Pythons warn of threads: those here are NumPy's, which know of forks.
                warnings.simplefilter("ignore", DeprecationWarning)
                process.start()
            self._pipes.append(here)
            self._processes.append(process)


class _Broken:
    """What a rank answers when a job failed unexpectedly."""

    def __init__(self, rank: int, text: str) -> None:
        self._text = f"rank {rank}: {text}"

    def __str__(self) -> str:
        return self._text


def _serve(rank: int, count: int, store: str, pipe: Connection) -> None:
    torch.set_num_threads(1)
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    dist.init_process_group(
        "gloo",
        init_method=f"file://{store}",
        rank=rank,
        world_size=count,
        timeout=datetime.timedelta(seconds=20),
    )
    while True:
        job, args = pipe.recv()
        try:
            pipe.send(job(rank, *args))
        except Exception:
            pipe.send(_Broken(rank, traceback.format_exc()))
