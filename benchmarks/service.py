"""Requests a second and latency of the service on this machine, beside a bare FastAPI application.

Everything runs on the machine's own cores, the clients included: compare the figures of one run.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from typing import Final

from benchmarks.tables import print_table

BARE: Final = """
import sys, uvicorn
from fastapi import FastAPI
app = FastAPI()
@app.get("/healthz")
async def healthz(): return {"status": "ok"}
uvicorn.run(app, port=int(sys.argv[1]), access_log=False, log_level="warning")
"""
CLIENTS: Final = 32
REQUESTS: Final = 10_000
SOLVES: Final = 200


class Client:
    """A connection that is kept, and asks one thing after the other."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.seconds: list[float] = []

    async def run(self, requests: Sequence[bytes]) -> None:
        """Send requests, and note how long each answer took."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        for request in requests:
            begin = time.perf_counter()
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200"):
                raise SystemExit(f"unexpected answer: {head.decode()}")
            length = next(
                int(line.split(b":")[1])
                for line in head.lower().split(b"\r\n")
                if line.startswith(b"content-length:")
            )
            await reader.readexactly(length)
            self.seconds.append(time.perf_counter() - begin)
        writer.close()


def get(path: str) -> bytes:
    """Give a GET request."""
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def post(path: str, document: object) -> bytes:
    """Give a POST request."""
    body = json.dumps(document).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def load(port: int, requests: Sequence[bytes], clients: int = CLIENTS) -> list[object]:
    """Send requests from many clients, and give rate, p50 and p99 as cells."""

    async def run() -> tuple[float, list[float]]:
        asking = [Client(port) for _ in range(clients)]
        begin = time.perf_counter()
        await asyncio.gather(
            *(client.run(requests[at::clients]) for at, client in enumerate(asking))
        )
        return time.perf_counter() - begin, [s for client in asking for s in client.seconds]

    taken, seconds = asyncio.run(run())
    centiles = quantiles(seconds, n=100)
    return [
        f"{len(requests) / taken:,.0f}",
        f"{1000 * centiles[49]:.1f} ms",
        f"{1000 * centiles[98]:.1f} ms",
    ]


@contextmanager
def running(command: Sequence[str], port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run a server until the block is left."""
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                load(port, [get("/healthz")] * 3, 1)
                break
            except OSError:
                time.sleep(0.1)
        yield process
    finally:
        process.terminate()
        process.wait()


def memory_of(process: subprocess.Popen[bytes]) -> str:
    """Give the resident memory of a process, without its workers."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return f"{int(line.split()[1]) / 1024:.0f} MiB"
    return "unknown"


def main() -> None:
    """Print the tables."""
    profile = json.loads(Path("profiles/zero-bubble-6.2b-m24-1x.json").read_text())
    rows: list[list[object]] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        running([sys.executable, "-c", BARE, "8971"], 8971),
        running(
            [sys.executable, "-m", "nobubble_cli", "serve", "--port", "8972", "--data-dir", folder],
            8972,
        ) as service,
    ):
        solve = post("/v1/solve", {"profile": profile})
        load(8972, [solve] * 3, 1)
        stored = _location(8972, solve)
        for name, port, request in (
            ("bare FastAPI, GET /healthz", 8971, get("/healthz")),
            ("GET /healthz", 8972, get("/healthz")),
            ("GET of a stored schedule, 8 ranks, 24 microbatches", 8972, get(stored)),
            ("POST /v1/solve of the same, stored", 8972, solve),
        ):
            rows.append([name, *load(port, [request] * REQUESTS)])
        small = [
            post(
                "/v1/solve",
                {
                    "profile": {**profile, "microbatches": 4 + seed % 20},
                    "options": {"seed": seed, "effort": "fast"},
                },
            )
            for seed in range(SOLVES)
        ]
        rows.append([f"{SOLVES} different small solves", *load(8972, small)])
        memory = memory_of(service)
    print_table([f"{CLIENTS} clients", "a second", "p50", "p99"], rows)
    print(f"\nMemory of the service itself after these {3 * REQUESTS + SOLVES} requests: {memory}")


def _location(port: int, request: bytes) -> str:
    """Ask once, and give where the schedule is stored."""

    async def ask() -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        writer.close()
        return head

    for line in asyncio.run(ask()).decode().splitlines():
        if line.lower().startswith("content-location:"):
            return line.partition(":")[2].strip()
    raise SystemExit("the service stored no schedule")


if __name__ == "__main__":
    main()
