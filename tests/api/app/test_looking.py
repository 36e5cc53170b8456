"""Tests of checks and bounds, ready profiles and schemas: what solves nothing."""

from __future__ import annotations

import json
from pathlib import Path

from nobubble.bounds.report import bounds_report
from nobubble.profile.document import profile_document
from nobubble.profile.reading import parse_profile, read_profile
from nobubble.schedule.writing import json_text
from nobubble_api.examples import LIMITED, PROFILE
from tests.api.app.conftest import Running

ROOT = Path(__file__).parents[3]


def test_bounds_are_those_of_the_command_line(running: Running) -> None:
    """Tests the whole answer."""
    answer = running.client.post("/v1/bound", json={"profile": LIMITED})
    assert answer.text == json_text(bounds_report(parse_profile(LIMITED)))


def test_an_infeasible_profile_has_no_bound(running: Running) -> None:
    """Tests that both calls say so."""
    body = {"profile": {**LIMITED, "memory_limit": 1}}
    for call in ("bound", "validate"):
        answer = running.client.post(f"/v1/{call}", json=body)
        assert answer.status_code == 422
        assert answer.json()["type"] == "/problems/infeasible"


def test_a_schedule_is_verified(running: Running) -> None:
    """Tests a good one, one that was changed, and one of another profile."""
    document = running.client.post("/v1/solve", json={"profile": LIMITED}).json()
    good = running.client.post("/v1/verify", json={"schedule": document}).json()
    assert good["valid"]
    assert good["cost"] == document["cost"]
    other = running.client.post("/v1/verify", json={"schedule": document, "profile": PROFILE})
    assert not other.json()["valid"]
    actions = document["ranks"][0]["actions"]
    actions[0], actions[1] = actions[1], actions[0]
    bad = running.client.post("/v1/verify", json={"schedule": document}).json()
    assert not bad["valid"]
    assert bad["findings"]
    assert bad["cost"] is None


def test_what_is_no_schedule_is_told_by_place(running: Running) -> None:
    """Tests the pointers of a schedule that has lost a part."""
    document = running.client.post("/v1/solve", json={"profile": LIMITED}).json()
    del document["ranks"][1]["actions"][0]["op"]
    answer = running.client.post("/v1/verify", json={"schedule": document})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/schedule/ranks/1/actions/0/op"


def test_validating_says_what_a_solve_would_cost(running: Running) -> None:
    """Tests the size, the notes, and whether the answer is there."""
    body = {"profile": {**PROFILE, "communication": 0.0000001}}
    seen = running.client.post("/v1/validate", json=body).json()
    assert (seen["ranks"], seen["stages"], seen["microbatches"], seen["ops"]) == (4, 4, 8, 96)
    assert seen["notes"]
    assert not seen["is_stored"]
    assert seen["estimated_seconds"] > 0
    running.client.post("/v1/solve", json=body)
    assert running.client.post("/v1/validate", json=body).json()["is_stored"]
    more = {**body, "options": {"effort": "max"}}
    longer = running.client.post("/v1/validate", json=more).json()["estimated_seconds"]
    assert longer > seen["estimated_seconds"]


def test_every_ready_profile_is_there(running: Running) -> None:
    """Tests the list, and a profile of it."""
    listed = running.client.get("/v1/profiles").json()["profiles"]
    folder = ROOT / "profiles"
    stems = sorted(path.stem for path in folder.iterdir() if path.suffix in (".json", ".yaml"))
    assert sorted(profile["name"] for profile in listed) == stems
    for profile in listed[:2]:
        shown = running.client.get(profile["link"])
        (path,) = folder.glob(f"{profile['name']}.[jy]*")
        assert shown.text == json_text(profile_document(read_profile(path)))
    assert running.client.get("/v1/profiles/none").status_code == 404


def test_schemas_are_the_committed_ones(running: Running) -> None:
    """Tests both formats."""
    for name in ("profile", "schedule"):
        text = running.client.get(f"/v1/schemas/{name}").text
        assert text == (ROOT / f"docs/schemas/{name}.schema.json").read_text()
    assert running.client.get("/v1/schemas/none").status_code == 404


def test_it_is_alive_and_ready(running: Running) -> None:
    """Tests all that readiness looks at."""
    assert running.client.get("/healthz").json() == {"status": "ok"}
    ready = running.client.get("/readyz")
    assert ready.status_code == 200
    assert set(ready.json()["checks"]) == {"store", "workers", "runner", "solve", "service"}


def test_it_is_not_ready_without_workers(running: Running) -> None:
    """Tests that the answer names what is wrong."""
    running.backend.alive = False
    ready = running.client.get("/readyz")
    assert ready.status_code == 503
    assert ready.json()["checks"]["workers"] == "no worker can take work"


def test_metrics_count_requests_and_solves(running: Running) -> None:
    """Tests the figures of one solve and one answer from the store."""
    for _ in range(2):
        running.client.post("/v1/solve", json={"profile": PROFILE})
    text = running.client.get("/metrics").text
    lines = dict(line.rsplit(" ", 1) for line in text.splitlines() if line[0] != "#")
    route = 'method="POST",route="/v1/solve",status="200"'
    assert float(lines[f"nobubble_requests_total{{{route}}}"]) == 2
    assert float(lines['nobubble_cache_total{result="hit"}']) == 1
    assert float(lines['nobubble_cache_total{result="miss"}']) == 1
    assert float(lines['nobubble_jobs{state="done"}']) == 1
    assert float(lines["nobubble_gap_count"]) == 1


def test_every_problem_has_a_meaning(running: Running) -> None:
    """Tests the addresses that problems name as their type."""
    problem = running.client.get("/nowhere").json()
    assert problem["type"] == "/problems/not-found"
    assert running.client.get(problem["type"]).text.startswith("Not found (404)")
    assert json.loads(running.client.get("/problems/none").text)["status"] == 404
