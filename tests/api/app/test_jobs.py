"""Tests that jobs can be submitted, found, followed and cancelled."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from nobubble_api.examples import PROFILE
from tests.api.app.conftest import Running, StartService
from tests.api.app.threads import Gate, wait_until


def submit(running: Running, headers: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    """Submit a job."""
    answer = running.client.post("/v1/jobs", json={"profile": PROFILE, **more}, headers=headers)
    assert answer.status_code == 202, answer.text
    job: dict[str, Any] = answer.json()
    return job


def state_of(running: Running, job: dict[str, Any]) -> str:
    """Ask for a job's state."""
    state: str = running.client.get(job["links"]["self"]).json()["state"]
    return state


def events_of(
    running: Running, job: dict[str, Any], **headers: str
) -> list[tuple[int, str, dict[str, Any]]]:
    """Read a job's event stream to its end."""
    text = running.client.get(job["links"]["events"], headers=headers).text
    events = []
    for block in text.strip().split("\n\n"):
        lines = [line.partition(": ") for line in block.splitlines() if not line.startswith(":")]
        fields = {name: value for name, _, value in lines if name != "data"}
        data = json.loads("\n".join(value for name, _, value in lines if name == "data"))
        events.append((int(fields["id"]), fields["event"], data))
    return events


def test_a_job_goes_from_queued_to_done(running: Running) -> None:
    """Tests all that a job tells in the end."""
    job = submit(running, name="nightly", tags=["ci", "ci", "6b"])
    wait_until(lambda: state_of(running, job) == "done")
    ended = running.client.get(job["links"]["self"]).json()
    assert (ended["name"], ended["tags"]) == ("nightly", ["ci", "6b"])
    assert ended["attempts"] == 1
    assert ended["created_at"] <= ended["started_at"] <= ended["finished_at"]
    schedule = running.client.get(job["links"]["schedule"])
    assert schedule.headers["etag"] == f'"{ended["schedule"]}"'
    document = schedule.json()
    assert ended["status"] == document["status"]
    assert ended["progress"]["cost"] == document["cost"]
    assert ended["progress"]["gap"] == document["gap"]


def test_events_tell_the_way_and_end_with_the_job(running: Running) -> None:
    """Tests states, progress, the end, and going on after an event."""
    job = submit(running)
    events = events_of(running, job)
    kinds = [kind for _, kind, _ in events]
    assert kinds[:2] == ["state", "state"]
    assert "progress" in kinds
    assert kinds[-2:] == ["state", "end"]
    assert [data["state"] for _, kind, data in events if kind == "state"] == [
        "queued",
        "running",
        "done",
    ]
    numbers = [number for number, _, _ in events[:-1]]
    assert numbers == sorted(set(numbers))
    progress = [data for _, kind, data in events if kind == "progress"]
    assert progress[-1]["cost"] == events[-1][2]["progress"]["cost"]
    assert {"text", "method", "lower_bound", "gap", "at"} <= set(progress[-1])
    rest = events_of(running, job, **{"Last-Event-ID": str(numbers[1])})
    assert rest == events[2:]


def test_the_best_so_far_is_there_while_a_job_runs(running: Running) -> None:
    """Tests the schedule of a running job, and the figures of it."""
    gate = Gate()
    running.backend.solve = gate
    job = submit(running)
    assert running.client.get(job["links"]["schedule"]).status_code in (200, 404)
    assert gate.reached.wait(20)
    wait_until(lambda: running.client.get(job["links"]["schedule"]).status_code == 200)
    seen = running.client.get(job["links"]["self"]).json()
    assert seen["state"] == "running"
    assert seen["progress"]["gap"] == 0.5
    gate.opened.set()
    wait_until(lambda: state_of(running, job) == "done")


def test_cancelling_keeps_the_best_found(running: Running) -> None:
    """Tests a running job: it ends soon, with a schedule."""
    gate = Gate()
    running.backend.solve = gate
    job = submit(running)
    assert gate.reached.wait(20)
    assert running.client.delete(job["links"]["self"]).status_code == 200
    wait_until(lambda: state_of(running, job) == "cancelled")
    ended = running.client.get(job["links"]["self"]).json()
    assert ended["stopped_by"] == "stopped"
    assert running.client.get(job["links"]["schedule"]).status_code == 200
    assert running.client.delete(job["links"]["self"]).json()["state"] == "cancelled"


def test_a_queued_job_is_cancelled_at_once(start: StartService) -> None:
    """Tests a job that no worker has begun."""
    running = start()
    running.backend.alive = False
    job = submit(running)
    assert running.client.delete(job["links"]["self"]).json()["state"] == "cancelled"
    assert running.client.get(job["links"]["schedule"]).status_code == 404
    assert [kind for _, kind, _ in events_of(running, job)] == ["state", "state", "end"]


def test_who_waits_for_a_solve_that_is_cancelled_is_told(start: StartService) -> None:
    """Tests a solve that somebody cancels before a worker has begun with it."""
    running = start()
    running.backend.alive = False
    answers: list[int] = []
    types: list[str] = []

    def ask() -> None:
        answer = running.client.post("/v1/solve", json={"profile": PROFILE})
        answers.append(answer.status_code)
        types.append(answer.json()["type"])

    waiting = threading.Thread(target=ask)
    waiting.start()
    wait_until(lambda: running.client.get("/v1/jobs").json()["jobs"])
    (job,) = running.client.get("/v1/jobs").json()["jobs"]
    running.client.delete(job["links"]["self"])
    waiting.join(20)
    assert (answers, types) == ([504], ["/problems/no-schedule"])


def test_jobs_are_listed_newest_first_by_state_and_tag(start: StartService) -> None:
    """Tests paging and both filters."""
    running = start()
    running.backend.alive = False
    jobs = [
        submit(running, options={"seed": seed}, tags=["even" if seed % 2 == 0 else "odd"])["id"]
        for seed in range(5)
    ]
    seen: list[str] = []
    after: str | None = ""
    while after is not None:
        page = running.client.get(
            "/v1/jobs", params={"limit": 2, **({"after": after} if after else {})}
        )
        seen += [job["id"] for job in page.json()["jobs"]]
        after = page.json()["next"]
    assert seen == jobs[::-1]
    odd = running.client.get("/v1/jobs", params={"tag": "odd", "state": "queued"}).json()["jobs"]
    assert [job["id"] for job in odd] == [jobs[3], jobs[1]]
    assert running.client.get("/v1/jobs", params={"state": "done"}).json()["jobs"] == []


@pytest.mark.parametrize(
    ("query", "words"),
    [("limit=0", "?limit"), ("limit=x", "?limit"), ("state=lost", "?state"), ("after=x", "?after")],
)
def test_a_wrong_parameter_is_told(running: Running, query: str, words: str) -> None:
    """Tests the problem of each parameter."""
    answer = running.client.get(f"/v1/jobs?{query}")
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["errors"][0]["pointer"] == words


@pytest.mark.parametrize("text", ["", "a\0b", "\ud800", "x" * 201, 3])
def test_a_name_is_plain_text(running: Running, text: object) -> None:
    """Tests what databases and terminals take badly."""
    for key, value in (("name", text), ("tags", [text])):
        body = json.dumps({"profile": PROFILE, key: value})
        headers = {"Content-Type": "application/json"}
        answer = running.client.post("/v1/jobs", content=body, headers=headers)
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["pointer"].startswith(f"/{key}")
    assert running.client.get("/v1/jobs", params={"tag": "\0"}).status_code == 400


def test_an_idempotency_key_makes_one_job(running: Running) -> None:
    """Tests a repeated submission, and another one under the same key."""
    key = {"Idempotency-Key": "launch-17"}
    first, second = submit(running, key), submit(running, key)
    assert first["id"] == second["id"]
    other = {"profile": PROFILE, "options": {"seed": 9}}
    answer = running.client.post("/v1/jobs", json=other, headers=key)
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems/conflict"


def test_a_full_queue_says_when_to_come_back(start: StartService) -> None:
    """Tests 429 with Retry-After."""
    running = start(max_queued=1)
    running.backend.alive = False
    submit(running)
    answer = running.client.post("/v1/jobs", json={"profile": PROFILE, "options": {"seed": 1}})
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) > 0


@pytest.mark.parametrize("path", ["", "/events", "/schedule"])
@pytest.mark.parametrize("job_id", ["0" * 32, "nonsense"])
def test_an_unknown_job_is_not_found(running: Running, path: str, job_id: str) -> None:
    """Tests every address below a job."""
    answer = running.client.get(f"/v1/jobs/{job_id}{path}")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_job_whose_worker_dies_is_tried_again(running: Running) -> None:
    """Tests that a lost worker costs an attempt, and not the job."""
    from nobubble_api.execution.backend import WorkerLostError
    from nobubble_api.execution.solving import solve_work

    deaths = iter([True, True, False])

    def mortal(*arguments: Any) -> Any:
        if next(deaths):
            raise WorkerLostError("killed")
        return solve_work(*arguments)

    running.backend.solve = mortal
    job = submit(running)
    wait_until(lambda: state_of(running, job) == "done")
    assert running.client.get(job["links"]["self"]).json()["attempts"] == 3


def test_a_job_that_kills_every_worker_is_given_up(running: Running) -> None:
    """Tests that it fails with a problem that says so."""
    from nobubble_api.execution.backend import WorkerLostError

    def deadly(*arguments: Any) -> Any:
        raise WorkerLostError("killed")

    running.backend.solve = deadly
    job = submit(running)
    wait_until(lambda: state_of(running, job) == "failed")
    ended = running.client.get(job["links"]["self"]).json()
    assert ended["problem"]["type"] == "/problems/worker-lost"
    assert ended["attempts"] == 3


def test_a_stop_puts_running_jobs_back(start: StartService) -> None:
    """Tests that a job which does not end within the grace is done by the next service."""
    running = start()
    gate = Gate()
    running.backend.solve = gate
    job = submit(running)
    assert gate.reached.wait(20)
    running.client.__exit__()
    gate.opened.set()
    again = start()
    wait_until(lambda: state_of(again, job) == "done")
    assert again.client.get(job["links"]["self"]).json()["attempts"] == 1
