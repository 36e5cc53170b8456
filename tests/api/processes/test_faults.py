"""Tests that nothing is lost when processes die, and that bad clients harm nobody else."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from nobubble_api.examples import PROFILE
from tests.api.serving import Server, StartServer, server, start_server, wait_for

__all__ = ["server", "start_server"]

LONG = {"method": "search", "effort": "max"}


def test_jobs_of_a_killed_service_are_done_by_the_next(start_server: StartServer) -> None:
    """Tests 20 jobs queued and 2 running: all 22 end done, and none is done twice."""
    first = start_server("--workers", "2")
    profile = first.profile("zero-bubble-6.2b-m24-1x")
    # A second each; the proof would come too early without the limit on memory.
    limited = {**profile, "memory_limit": [3 * value // 4 for value in profile["memory_limit"]]}
    jobs = [first.submit(limited, seed=seed)["id"] for seed in range(22)]
    wait_for(lambda: sum(first.job(job)["state"] == "running" for job in jobs) == 2)
    workers = first.children()
    first.kill()
    wait_for(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
    second = start_server("--workers", "2")
    assert sum(second.job(job)["state"] == "done" for job in jobs) < 22
    wait_for(lambda: all(second.job(job)["state"] == "done" for job in jobs), 120)
    assert sorted(second.job(job)["attempts"] for job in jobs)[-3:-2] == [1]
    assert len({second.job(job)["schedule"] for job in jobs}) > 1
    ends = [line for line in first.log + second.log if '"job ended"' in line]
    assert all(sum(job in line for line in ends) <= 1 for job in jobs)


def test_the_job_of_a_killed_worker_is_done_by_another(server: Server) -> None:
    """Tests that one worker's death costs an attempt, and that it is replaced."""
    wait_for(lambda: len(server.workers()) >= 3)
    profile = server.profile("zb-v-p16-m48")
    job = server.submit(profile, time_limit=8, **LONG)["id"]
    wait_for(lambda: server.job(job)["progress"] is not None)
    busiest = max(server.workers(), key=_ticks)
    os.kill(busiest, signal.SIGKILL)
    wait_for(lambda: server.job(job)["attempts"] == 2)
    wait_for(lambda: server.job(job)["state"] == "done")
    wait_for(lambda: len(server.workers()) >= 3)


def _ticks(process: int) -> int:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11])


def test_a_cancelled_search_stops_soon_with_the_best_found(server: Server) -> None:
    """Tests a search that would go on for a minute."""
    job = server.submit(server.profile("zb-v-p16-m48"), seed=5, **LONG)["id"]
    wait_for(lambda: server.job(job)["progress"] is not None)
    server.client.delete(f"/v1/jobs/{job}")
    wait_for(lambda: server.job(job)["state"] == "cancelled", 10)
    assert server.job(job)["stopped_by"] == "stopped"
    document = server.client.get(f"/v1/jobs/{job}/schedule").json()
    assert server.client.post("/v1/verify", json={"schedule": document}).json()["valid"]


def test_a_stop_lets_go_in_good_order(start_server: StartServer) -> None:
    """Tests SIGTERM: streams end, the exit code is 0, the running job is queued again."""
    first = start_server("--workers", "1", "--shutdown-grace", "0")
    job = first.submit(first.profile("zb-v-p16-m48"), time_limit=5, **LONG)["id"]
    wait_for(lambda: first.job(job)["state"] == "running")
    ended = threading.Event()

    def listen() -> None:
        with httpx.stream("GET", f"{first.url}/v1/jobs/{job}/events", timeout=60) as stream:
            for _ in stream.iter_lines():
                pass
        ended.set()

    threading.Thread(target=listen, daemon=True).start()
    time.sleep(0.5)
    assert first.stop() == 0
    assert ended.wait(10)
    second = start_server("--workers", "1")
    wait_for(lambda: second.job(job)["state"] == "done")
    assert second.job(job)["attempts"] == 1


@pytest.fixture
def connect() -> Iterator[Callable[[Server], socket.socket]]:
    """Open connections by hand."""
    opened = []

    def connect_one(server: Server) -> socket.socket:
        address = urlsplit(server.url)
        assert address.hostname is not None
        opened.append(socket.create_connection((address.hostname, address.port or 80), timeout=20))
        return opened[-1]

    yield connect_one
    for connection in opened:
        connection.close()


HEAD = b"POST /v1/solve HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


def test_bad_clients_harm_nobody(
    start_server: StartServer, connect: Callable[[Server], socket.socket]
) -> None:
    """Tests 80 MiB, a byte a second, a client that goes, and 200 open streams, all at once."""
    server = start_server("--workers", "1", "--body-timeout", "2")
    job = server.submit(server.profile("zb-v-p16-m48"), time_limit=12, **LONG)["id"]
    streams = [connect(server) for _ in range(200)]
    for stream in streams:
        stream.sendall(f"GET /v1/jobs/{job}/events HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    assert all(stream.recv(12) == b"HTTP/1.1 200" for stream in streams)
    slow = connect(server)
    slow.sendall(HEAD + b"Content-Length: 100\r\n\r\n{")
    gone = connect(server)
    body = b'{"profile": {}}'
    gone.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    gone.close()
    large = connect(server)
    large.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % (80 * 2**20))
    assert large.recv(12) == b"HTTP/1.1 413"
    begin = time.monotonic()
    assert server.client.get("/healthz").status_code == 200
    assert server.client.get(f"/v1/jobs/{job}").status_code == 200
    assert time.monotonic() - begin < 5
    slow.sendall(b" ")
    assert slow.recv(12) == b"HTTP/1.1 408"
    assert server.client.post("/v1/validate", json={"profile": PROFILE}).status_code == 200


def test_a_service_that_cannot_start_says_why(start_server: StartServer, tmp_path: Path) -> None:
    """Tests a port that is taken, a database that is none, a scheduler that is not there."""
    import subprocess
    import sys

    server = start_server("--workers", "1")
    port = str(urlsplit(server.url).port)
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "nobubble.sqlite3").write_text("no database" * 100)
    cases = {
        ("--port", port, "--data-dir", str(tmp_path / "x")): "cannot listen on",
        ("--port", "0", "--data-dir", str(tmp_path / "broken")): "not a database",
        ("--port", "0", "--executor", "somewhere", "--data-dir", str(tmp_path / "y")): "no place",
        ("--host", "0.0.0.0"): "would let anyone in",
    }
    for arguments, words in cases.items():
        outcome = subprocess.run(
            [sys.executable, "-m", "nobubble_cli", "serve", *arguments],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert outcome.returncode == 2, outcome.stderr
        assert words in outcome.stderr
        assert "Traceback" not in outcome.stderr


@pytest.fixture(autouse=True)
def _quick_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave no proxy of the environment between test and service."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
