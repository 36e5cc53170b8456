"""Tests that POST /v1/compare gives what the command line gives, each schedule a job."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from nobubble.comparison.compare import compare
from nobubble.comparison.report import comparison_report
from nobubble.profile.reading import parse_model
from nobubble.schedule.writing import json_text
from nobubble_api.examples import COMPARE
from tests.api.app.conftest import Running, StartService

EXAMPLE: Any = COMPARE["layers"]
BODY: dict[str, Any] = EXAMPLE["value"]


def asked(running: Running, body: dict[str, Any]) -> dict[str, Any]:
    """Ask until there is a table."""
    for _ in range(200):
        answer = running.client.post("/v1/compare", json=body)
        if answer.status_code != 202:
            assert answer.status_code == 200, answer.text
            report: dict[str, Any] = answer.json()
            return report
        time.sleep(0.05)
    raise AssertionError("no table")


def test_the_table_is_that_of_the_command_line(running: Running) -> None:
    """Tests all rows, what is left out, and the advice; and that every schedule can be fetched."""
    report = asked(running, BODY)
    hashes = [row.pop("schedule") for row in report["rows"]]
    here = compare(parse_model(BODY["profile"]), effort="fast", splitting="min-max")
    assert report == json.loads(json_text(comparison_report(here)))
    for content_hash, row in zip(hashes, here.rows, strict=True):
        stored = running.client.get(f"/v1/schedules/{content_hash}.json")
        assert stored.text == json_text(row.document)


def test_every_schedule_is_a_job(running: Running) -> None:
    """Tests that the jobs can be listed by their tag, and that asking again solves nothing."""
    report = asked(running, BODY)
    jobs = running.client.get("/v1/jobs", params={"tag": "compare", "limit": 200}).json()["jobs"]
    assert len(jobs) == len(report["rows"]) + sum(
        one["method"] is not None for one in report["left_out"]
    )
    assert all(job["name"].startswith("compare: ") for job in jobs)
    assert asked(running, BODY) == report
    again = running.client.get("/v1/jobs", params={"tag": "compare", "limit": 200}).json()["jobs"]
    assert len(again) == len(jobs)


def test_who_does_not_wait_is_told_how_far_it_is(running: Running) -> None:
    """Tests 202 with counts, and the table later."""
    headers = {"Prefer": "respond-async"}
    answer = running.client.post("/v1/compare", json=BODY, headers=headers)
    assert answer.status_code == 202
    assert answer.headers["retry-after"] == "1"
    assert set(answer.json()) == {"done", "of", "jobs"}
    assert asked(running, BODY)["rows"]


def test_nothing_fits_is_infeasible(running: Running) -> None:
    """Tests that a limit that no family keeps is the problem that it is for one solve."""
    body = {**BODY, "profile": {**BODY["profile"], "memory_limit": 1}}
    for _ in range(100):
        answer = running.client.post("/v1/compare", json=body)
        if answer.status_code != 202:
            break
        time.sleep(0.05)
    assert answer.status_code == 422
    problem = answer.json()
    assert problem["type"].endswith("/infeasible")
    assert "nothing fits" in problem["detail"]


@pytest.mark.parametrize(
    ("change", "slug", "message"),
    [
        ({"options": {"partition": "odd"}}, "bad-request", "/options/partition"),
        ({"options": {"partitions": "even"}}, "bad-request", "is partition meant?"),
        ({"profile": {"schema": "nobubble.profile/1"}}, "bad-profile", "/profile/ranks"),
        ({"more": 1}, "bad-request", "/more is not known"),
    ],
)
def test_a_wrong_body_is_told(
    change: dict[str, Any], slug: str, message: str, running: Running
) -> None:
    """Tests that each mistake is named with its place."""
    answer = running.client.post("/v1/compare", json={**BODY, **change})
    assert answer.json()["type"].endswith(slug)
    assert message in answer.text


def test_limits_of_the_service_hold(start: StartService) -> None:
    """Tests that a model that makes too many ops, or takes too long, is refused."""
    running = start(max_ops=100, max_time_limit=5)
    answer = running.client.post("/v1/compare", json=BODY)
    assert answer.json()["type"].endswith("too-large")
    options = {**BODY["options"], "time_limit": 6}
    answer = running.client.post("/v1/compare", json={**BODY, "options": options})
    assert "/options/time_limit" in answer.text


def test_a_table_whose_jobs_are_gone_is_made_anew(running: Running) -> None:
    """Tests that what retention deleted is solved again when it is asked for."""
    report = asked(running, BODY)
    store = running.service.store
    store.delete_ended(datetime.now(UTC) + timedelta(days=1))
    assert running.client.get("/v1/jobs", params={"tag": "compare"}).json()["jobs"] == []
    assert asked(running, BODY) == report
