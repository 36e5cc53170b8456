"""A real service in processes of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).parents[2]


class Server:
    """A service that runs `nobubble serve`.

    Parameters
    ----------
    data_dir : Path
    *arguments
        Further arguments.
    """

    def __init__(self, data_dir: Path, *arguments: str) -> None:
        command = [sys.executable, "-m", "nobubble_cli", "serve", "--port", "0"]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("NOBUBBLE_")}
        self.process = subprocess.Popen(
            [*command, "--data-dir", str(data_dir), *arguments],
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=environment,
        )
        self.log: list[str] = []
        self._url = threading.Event()
        self.url = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self._url.wait(60), self.log
        self.client = httpx.Client(base_url=self.url, timeout=60)
        wait_for(self._answers, 60)

    def _read(self) -> None:
        assert self.process.stderr is not None
        with self.process.stderr as stderr:
            for line in stderr:
                self.log.append(line)
                found = re.match(r"nobubble serves (http://\S+) ", line)
                if found:
                    self.url = found[1]
                    self._url.set()
        self._url.set()

    def _answers(self) -> bool:
        assert self.process.poll() is None, self.log
        try:
            return self.client.get("/healthz").status_code == 200
        except httpx.TransportError:
            return False

    def submit(self, profile: dict[str, Any], **options: Any) -> dict[str, Any]:
        """Submit a job."""
        answer = self.client.post("/v1/jobs", json={"profile": profile, "options": options})
        assert answer.status_code == 202, answer.text
        job: dict[str, Any] = answer.json()
        return job

    def job(self, job_id: str) -> dict[str, Any]:
        """Ask for a job."""
        job: dict[str, Any] = self.client.get(f"/v1/jobs/{job_id}").json()
        return job

    def profile(self, name: str) -> dict[str, Any]:
        """Get a ready profile."""
        profile: dict[str, Any] = self.client.get(f"/v1/profiles/{name}").json()
        return profile

    def children(self) -> list[int]:
        """Give the processes below it."""
        return [
            int(path.parent.name)
            for path in Path("/proc").glob("[0-9]*/stat")
            if _parent(path) == self.process.pid
        ]

    def workers(self) -> list[int]:
        """Give its worker processes: those that have loaded what is compiled."""
        found = []
        for child in self.children():
            try:
                if (
                    "numba" in Path(f"/proc/{child}/maps").read_text()
                    or "llvmlite" in Path(f"/proc/{child}/maps").read_text()
                ):
                    found.append(child)
            except OSError:
                continue
        return found

    def kill(self) -> None:
        """Kill it at once."""
        self.process.kill()
        self.process.wait()
        self._reader.join(10)

    def stop(self) -> int:
        """Ask it to stop, and give its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)


def _parent(stat: Path) -> int:
    try:
        return int(stat.read_text().rpartition(")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return -1


def wait_for(condition: Callable[[], object], seconds: float = 30.0) -> None:
    """Wait for something to become true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


StartServer = Callable[..., Server]


@pytest.fixture
def start_server(tmp_path: Path) -> Iterator[StartServer]:
    """Start services; all are killed at the end of the test."""
    servers: list[Server] = []

    def start(*arguments: str, data_dir: Path | None = None) -> Server:
        server = Server(data_dir or tmp_path / "data", *arguments)
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.client.close()
        server.kill()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Give a service with default settings."""
    started = Server(tmp_path_factory.mktemp("served"), "--workers", "2")
    yield started
    started.client.close()
    started.kill()
