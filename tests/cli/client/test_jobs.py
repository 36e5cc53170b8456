"""Tests of ``nobubble jobs``."""

from __future__ import annotations

import hashlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from nobubble_cli.client.job_table import job_table
from nobubble_cli.commands import jobs as commands
from tests.cli.client.conftest import Clock
from tests.cli.client.fake import (
    JOB_ID,
    FakeService,
    Reply,
    answer,
    job,
    problem,
    schedule,
    stream,
)
from tests.cli.running import Run

JOB = f"/v1/jobs/{JOB_ID}"
PROGRESS = {"method": "search", "cost": 12.5, "lower_bound": 12, "gap": 0.04}


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_submit_prints_the_job(profile_path: Path, service: FakeService, run: Run) -> None:
    """Tests what is sent, and that a script can read what comes back."""
    service.on("POST /v1/jobs", answer(job(), 202))
    outcome = run(
        *("jobs", "submit", profile_path, "--server", service.url, "--name", "nightly"),
        *("--tag", "ci", "--tag", "6b", "--effort", "max", "--microbatches", "5"),
    )
    assert (outcome.code, outcome.err) == (0, "")
    assert json.loads(outcome.out) == job()
    (request,) = service.requests
    sent = request.json()
    assert (sent["name"], sent["tags"]) == ("nightly", ["ci", "6b"])
    assert sent["options"]["effort"] == "max"
    assert sent["profile"]["microbatches"] == 5


def test_a_job_is_called_as_its_profile_unless_it_has_a_name(
    profile_path: Path, service: FakeService, run: Run
) -> None:
    """Tests that a list of jobs can be read."""
    service.on("POST /v1/jobs", answer(job(), 202))
    run("jobs", "submit", profile_path, "--server", service.url)
    assert service.requests[0].json()["name"] == "small"


def test_a_request_that_is_repeated_makes_one_job(
    profile_path: Path, service: FakeService, clock: Clock, run: Run
) -> None:
    """Tests that every request carries a key: the same when repeated, else another."""
    service.on("POST /v1/jobs", Reply(0), Reply(503), answer(job(), 202))
    assert run("jobs", "submit", profile_path, "--server", service.url).code == 0
    assert clock.slept
    assert run("jobs", "submit", profile_path, "--server", service.url).code == 0
    keys = [request.headers["Idempotency-Key"] for request in service.requests]
    assert keys[0] == keys[1] == keys[2] != keys[3]


def test_a_key_of_the_user(profile_path: Path, service: FakeService, run: Run) -> None:
    """Tests that a launcher that is restarted can find its job again."""
    service.on("POST /v1/jobs", answer(job(), 202))
    submit = ("jobs", "submit", profile_path, "--server", service.url, "--idempotency-key")
    run(*submit, "run-7")
    assert service.requests[0].headers["Idempotency-Key"] == "run-7"
    outcome = run(*submit, "läuft")
    assert outcome.code == 2
    assert outcome.err == "error: 'läuft' has a character that cannot be sent\n"


@pytest.mark.parametrize(
    ("pointer", "option"), [("/name", "--name"), ("/tags/0", "--tag"), ("/options/seed", "--seed")]
)
def test_a_fault_names_the_option(
    pointer: str, option: str, profile_path: Path, service: FakeService, run: Run
) -> None:
    """Tests that the user sees what was given, not where it stood in the request."""
    errors = [{"pointer": pointer, "message": "is not good"}]
    service.on("POST /v1/jobs", problem("bad-request", 400, "x", errors=errors))
    outcome = run("jobs", "submit", profile_path, "--server", service.url)
    assert (outcome.code, outcome.err) == (2, f"error: {service.url}: {option} is not good\n")


@pytest.mark.parametrize("command", ["submit", "list", "show", "watch", "cancel"])
def test_every_command_needs_a_service(command: str, profile_path: Path, run: Run) -> None:
    """Tests that the message says how to name one."""
    argument = {"submit": [str(profile_path)], "list": []}.get(command, [JOB_ID])
    outcome = run("jobs", command, *argument)
    assert outcome.code == 2
    assert outcome.err == (
        "error: which service? give its address with --server, or set NOBUBBLE_SERVER, such as "
        "http://127.0.0.1:8000\n"
    )


@pytest.mark.parametrize("command", ["show", "watch", "cancel"])
@pytest.mark.parametrize("job_id", ["", "17", "..", JOB_ID.upper(), f"{JOB_ID}/schedule"])
def test_what_is_no_id(command: str, job_id: str, service: FakeService, run: Run) -> None:
    """Tests that no other path can be asked for."""
    outcome = run("jobs", command, job_id, NOBUBBLE_SERVER=service.url)
    assert outcome.code == 2
    assert "is not the id of a job" in outcome.err
    assert service.requests == []


def test_an_unknown_job(service: FakeService, run: Run) -> None:
    """Tests the service's own words."""
    service.on(f"GET {JOB}", problem("not-found", 404, f"there is no job {JOB_ID}"))
    outcome = run("jobs", "show", JOB_ID, "--server", service.url)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == f"error: {service.url}: there is no job {JOB_ID}\n"


def test_show_and_cancel_print_the_job(service: FakeService, run: Run) -> None:
    """Tests the two calls."""
    service.on(f"GET {JOB}", answer(job("running", progress=PROGRESS)))
    service.on(f"DELETE {JOB}", answer(job("cancelled")))
    shown = run("jobs", "show", JOB_ID, "--server", service.url)
    assert json.loads(shown.out) == job("running", progress=PROGRESS)
    cancelled = run("jobs", "cancel", JOB_ID, "--server", service.url)
    assert json.loads(cancelled.out) == job("cancelled")
    assert (shown.code, cancelled.code) == (0, 0)


def test_list_is_json_for_programs(service: FakeService, run: Run) -> None:
    """Tests filters and the cursor."""
    service.on("GET /v1/jobs", answer({"jobs": [job(), job("done")], "next": "abc"}))
    outcome = run(
        *("jobs", "list", "--server", service.url, "--state", "done", "--tag", "a b"),
        *("--limit", "2", "--after", "xyz"),
    )
    assert json.loads(outcome.out) == {"jobs": [job(), job("done")], "next": "abc"}
    assert service.requests[0].query == "state=done&tag=a+b&limit=2&after=xyz"


def test_a_long_list_takes_several_pages(service: FakeService, run: Run) -> None:
    """Tests that --limit is not bound by the service's pages."""
    service.on(
        "GET /v1/jobs",
        answer({"jobs": [job()] * 200, "next": "abc"}),
        answer({"jobs": [job()] * 50, "next": None}),
    )
    outcome = run("jobs", "list", "--server", service.url, "--limit", "300")
    found = json.loads(outcome.out)
    assert (len(found["jobs"]), found["next"]) == (250, None)
    assert [request.query for request in service.requests] == ["limit=200", "limit=100&after=abc"]


def test_list_is_a_table_on_a_terminal(
    service: FakeService, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    """Tests the formats."""
    service.on("GET /v1/jobs", answer({"jobs": [job(progress=PROGRESS)], "next": "abc"}))
    table = run("jobs", "list", "--server", service.url, "--limit", "1", "--format", "table")
    assert table.out.splitlines() == job_table([job(progress=PROGRESS)])
    assert table.err == "there are more: raise --limit\n"

    class Terminal(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    stream = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", Terminal(stream))
    commands.list_jobs(server=service.url, limit=1)
    assert stream.getvalue().decode() == table.out
    stream.truncate(0)
    stream.seek(0)
    commands.list_jobs(server=service.url, limit=1, format="json")
    assert json.loads(stream.getvalue())["next"] == "abc"


def test_the_table() -> None:
    """Tests its columns; what would move the cursor is left out."""
    jobs: list[dict[str, Any]] = [
        job("done", progress=PROGRESS, name="a\x1b[2J b", tags=["ci", "x"]),
        job(),
    ]
    assert job_table(jobs) == [
        "job                               state   method  cost  gap     created              "
        "name    tags",
        f"{JOB_ID}  done    search  12.5  4.00 %  2026-01-02 03:04:05  a[2J b  ci x",
        f"{JOB_ID}  queued  auto                  2026-01-02 03:04:05",
    ]


def test_watch_writes_the_schedule(
    profile_path: Path, service: FakeService, solved: str, run: Run
) -> None:
    """Tests that it is the same as from solve, with the figures."""
    output = profile_path.with_name("out.json")
    service.on(f"GET {JOB}", answer(job("running")))
    service.on(f"GET {JOB}/events", stream((1, "end", job("done", schedule=digest(solved)))))
    service.on(f"GET {JOB}/schedule", schedule(solved))
    outcome = run("jobs", "watch", JOB_ID, "--server", service.url, "-o", output)
    assert (outcome.code, outcome.out) == (0, "")
    assert output.read_text() == solved
    assert outcome.err == run("solve", profile_path, "-o", output).err
    piped = run("jobs", "watch", JOB_ID, "--server", service.url, "-o", "-")
    assert (piped.out, piped.err) == (solved, "")


def test_watch_prints_the_job_where_no_schedule_is_wanted(service: FakeService, run: Run) -> None:
    """Tests that a job that has ended is not followed."""
    service.on(f"GET {JOB}", answer(job("done", schedule="0" * 64)))
    outcome = run("jobs", "watch", JOB_ID, "--server", service.url)
    assert (outcome.code, json.loads(outcome.out)["state"]) == (0, "done")
    assert service.calls() == [f"GET {JOB}"]


def test_watch_ends_as_the_job_did(
    profile_path: Path, service: FakeService, solved: str, run: Run
) -> None:
    """Tests that a failure has its own exit code, and a cancelled job that of what it found."""
    failed = {"type": "/problems/infeasible", "status": 422, "detail": "rank 1 binds"}
    output = profile_path.with_name("out.json")
    watch = ("jobs", "watch", JOB_ID, "--server", service.url, "-o", output)
    service.on(f"GET {JOB}", answer(job("failed", problem=failed)))
    outcome = run(*watch)
    assert (outcome.code, outcome.err) == (3, "error: rank 1 binds\n")
    service.on(f"GET {JOB}", answer(job("failed")))
    assert run(*watch).code == 4
    service.on(f"GET {JOB}", answer(job("cancelled")))
    assert run(*watch).code == 4
    assert not output.exists()
    service.on(f"GET {JOB}", answer(job("cancelled", schedule=digest(solved))))
    service.on(f"GET {JOB}/schedule", schedule(solved))
    outcome = run(*watch)
    assert outcome.code == 0
    assert outcome.err.startswith("note: the job was cancelled; its schedule is the best ")
    assert output.read_text() == solved


def test_a_schedule_that_is_not_the_jobs_is_refused(
    profile_path: Path, service: FakeService, solved: str, run: Run
) -> None:
    """Tests that the hash in the job counts."""
    output = profile_path.with_name("out.json")
    service.on(f"GET {JOB}", answer(job("done", schedule="0" * 64)))
    service.on(f"GET {JOB}/schedule", schedule(solved))
    outcome = run("jobs", "watch", JOB_ID, "--server", service.url, "-o", output)
    assert outcome.code == 5
    assert f"not {'0' * 64} as the service says" in outcome.err
    assert not output.exists()


@pytest.mark.parametrize(
    "page",
    [{}, {"jobs": 3, "next": None}, {"jobs": [3], "next": None}, {"jobs": [], "next": 3}],
)
def test_what_is_no_list_of_jobs(page: dict[str, Any], service: FakeService, run: Run) -> None:
    """Tests that another kind of service is told from a fault."""
    service.on("GET /v1/jobs", answer(page))
    outcome = run("jobs", "list", "--server", service.url)
    assert outcome.code == 2
    assert outcome.err.endswith("; is this the address of nobubble?\n")
