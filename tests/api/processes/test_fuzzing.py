"""Tests that whatever comes in, what goes out is declared: a short run; longer ones find more."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from benchmarks.mutated_profiles import mutated, outcome
from tests.api.serving import Server, StartServer, server, start_server

__all__ = ["server", "start_server"]


def test_every_mutated_profile_gets_a_schedule_or_a_problem(server: Server) -> None:
    """Tests profiles with values, keys and ends that do not belong there."""
    seen = set()
    headers = {"Content-Type": "application/json"}
    random_ = random.Random(1)
    for _ in range(300):
        answer = server.client.post("/v1/solve", content=mutated(random_), headers=headers)
        seen.add(outcome(answer))
    assert {"schedule", "/problems/bad-profile", "/problems/bad-request"} <= seen


def test_schemathesis_finds_no_undeclared_answer(start_server: StartServer, tmp_path: Path) -> None:
    """Tests the whole OpenAPI document for some seconds."""
    # What takes longer, such as a comparison, answers 202.
    server = start_server("--sync-limit", "1")
    program = Path(sys.executable).with_name("schemathesis")
    checks = [
        "not_a_server_error",
        "status_code_conformance",
        "content_type_conformance",
        "response_headers_conformance",
        "response_schema_conformance",
    ]
    done = subprocess.run(
        [
            *(str(program), "run", f"{server.url}/openapi.json", "--no-color"),
            *("--max-time", "20", "--request-timeout", "15", "--seed", "1"),
            *("--checks", ",".join(checks), "--suppress-health-check", "all"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    assert server.client.get("/healthz").status_code == 200
