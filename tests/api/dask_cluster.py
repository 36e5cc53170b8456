"""A real Dask scheduler with worker processes of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
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
        self.scheduler = self._start_scheduler("0")
        self.workers = [self.start_worker() for _ in range(2)]

    def start_worker(self) -> subprocess.Popen[str]:
        """Start one more worker process."""
        return self._start(
            *("worker", self.address, "--nthreads", "1", "--no-dashboard", "--no-nanny"),
            *("--local-directory", str(self._folder)),
        )

    def worker_at(self, address: str) -> subprocess.Popen[str]:
        """Give the process of a worker."""
        port = int(address.rpartition(":")[2])
        return next(worker for worker in self.workers if _listens(worker.pid, port))

    def replace(self, worker: subprocess.Popen[str]) -> None:
        """Kill a worker, and start another in its place."""
        worker.kill()
        worker.wait()
        self.workers.remove(worker)
        self.workers.append(self.start_worker())

    def restart(self, pause: float) -> None:
        """Kill the scheduler and its workers, and start them again at the same address."""
        for process in (self.scheduler, *self.workers):
            process.kill()
            process.wait()
        time.sleep(pause)
        self.scheduler = self._start_scheduler(self.address.rpartition(":")[2])
        self.workers = [self.start_worker() for _ in range(2)]

    def _start_scheduler(self, port: str) -> subprocess.Popen[str]:
        self.address = ""
        started = self._start("scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")
        wait_for(lambda: self.address, 30)
        return started

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


def _listens(pid: int, port: int) -> bool:
    """Say whether a process listens on a port."""
    inodes = {
        fields[9]
        for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
        if (fields := line.split())[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port
    }
    own = {os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir()}  # noqa: PTH115
    return any(f"socket:[{inode}]" in own for inode in inodes)


@pytest.fixture(scope="module")
def dask_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """Give a cluster."""
    cluster = DaskCluster(tmp_path_factory.mktemp("dask"))
    yield cluster
    cluster.close()
