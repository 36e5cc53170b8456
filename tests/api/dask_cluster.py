"""A real Dask scheduler with worker processes of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.api.serving import wait_for

ROOT = Path(__file__).parents[2]
BELOW = ("optimizer", "api", "cli", ".")


class DaskCluster:
    """A scheduler and two worker processes of one thread each."""

    def __init__(self, folder: Path) -> None:
        path = os.pathsep.join(str(ROOT / below) for below in BELOW)
        self._environment = {**os.environ, "PYTHONPATH": path}
        self._folder = folder
        self._processes: list[subprocess.Popen[str]] = []
        self.log: list[str] = []
        self.address = ""
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")
        wait_for(lambda: self.address, 30)
        self.workers = [self.start_worker() for _ in range(2)]

    def start_worker(self) -> subprocess.Popen[str]:
        """Start one more worker process."""
        return self._start(
            *("worker", self.address, "--nthreads", "1", "--no-dashboard", "--no-nanny"),
            *("--local-directory", str(self._folder)),
        )

    def _start(self, *arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]],
            stderr=subprocess.PIPE,
            text=True,
            env=self._environment,
            cwd=self._folder,
        )
        self._processes.append(process)
        threading.Thread(target=self._read, args=(process,), daemon=True).start()
        return process

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stderr is not None
        with process.stderr as stderr:
            for line in stderr:
                self.log.append(line)
                found = re.search(r"Scheduler at:\s+(tcp://\S+)", line)
                if found:
                    self.address = found[1]

    def close(self) -> None:
        """Kill all of it."""
        for process in reversed(self._processes):
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def dask_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """Give a cluster."""
    cluster = DaskCluster(tmp_path_factory.mktemp("dask"))
    yield cluster
    cluster.close()
