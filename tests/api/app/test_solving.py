"""Tests that POST /v1/solve gives what the command line gives, or says why not."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from nobubble.profile.reading import parse_profile
from nobubble.schedule.writing import json_text
from nobubble.solve import solve
from nobubble_api.examples import LIMITED, PROFILE
from tests.api.app.conftest import Running, StartService
from tests.api.app.threads import Gate, wait_until


def test_an_answer_is_what_solve_gives_byte_for_byte(running: Running) -> None:
    """Tests the body, the ETag, and the address of the stored schedule."""
    answer = running.client.post("/v1/solve", json={"profile": LIMITED})
    assert answer.status_code == 200
    assert answer.content == json_text(solve(parse_profile(LIMITED))).encode()
    content_hash = hashlib.sha256(answer.content).hexdigest()
    assert answer.headers["etag"] == f'"{content_hash}"'
    stored = running.client.get(answer.headers["content-location"])
    assert stored.content == answer.content


def test_options_are_those_of_the_command_line(running: Running) -> None:
    """Tests that each option arrives."""
    options = {
        "method": "search",
        "objective": "rank_span",
        "effort": "fast",
        "seed": 3,
        "ignore_memory_limit": True,
    }
    answer = running.client.post("/v1/solve", json={"profile": LIMITED, "options": options})
    profile = parse_profile({**LIMITED, "objective": "rank_span"})
    document = solve(profile, method="search", effort="fast", seed=3, ignore_memory_limit=True)
    assert answer.text == json_text(document)


def test_figures_are_taken_exactly(running: Running) -> None:
    """Tests memory that adds up in decimals, and not in floats."""
    op = {"F": {"time": 1, "memory": 0.3}, "B": {"time": 1, "memory": -0.1}}
    stages = {**op, "W": {"time": 1, "memory": -0.2}}
    profile = {**LIMITED, "memory_unit": "MB", "stages": stages, "memory_limit": 0.9}
    answer = running.client.post("/v1/solve", json={"profile": profile})
    assert answer.status_code == 200
    assert answer.json()["profile"]["stages"][0]["F"]["memory"] == 0.3


def test_who_has_the_schedule_gets_304(running: Running) -> None:
    """Tests If-None-Match, on the first answer and on a stored one."""
    first = running.client.post("/v1/solve", json={"profile": PROFILE})
    headers = {"If-None-Match": f'"other", W/{first.headers["etag"]}'}
    again = running.client.post("/v1/solve", json={"profile": PROFILE}, headers=headers)
    assert again.status_code == 304
    assert again.content == b""
    stored = running.client.get(first.headers["content-location"], headers=headers)
    assert stored.status_code == 304


def test_what_was_solved_is_not_solved_again(start: StartService) -> None:
    """Tests the same request, the same with a time limit, and the same after a restart."""
    running = start()
    bodies: list[dict[str, Any]] = [
        {"profile": PROFILE},
        {"profile": PROFILE, "options": {"time_limit": 30}},
        {"profile": {**PROFILE, "placement": "linear"}},
    ]
    answers = {running.client.post("/v1/solve", json=body).content for body in bodies * 2}
    assert len(answers) == 1
    assert len(running.backend.solved) == 1
    again = start()
    assert again.client.post("/v1/solve", json=bodies[1]).content in answers
    assert again.backend.solved == []


def test_identical_requests_in_flight_are_solved_once(start: StartService) -> None:
    """Tests that those who come while a solve runs wait for it and get its answer."""
    running = start(sync_limit=0)
    gate = Gate()
    running.backend.solve = gate
    body = {"profile": PROFILE}
    jobs = [running.client.post("/v1/solve", json=body).json()["id"] for _ in range(5)]
    assert len(set(jobs)) == 5
    assert gate.reached.wait(20)
    gate.opened.set()
    wait_until(
        lambda: all(running.client.get(f"/v1/jobs/{job}").json()["state"] == "done" for job in jobs)
    )
    assert len(running.backend.solved) == 1


def test_a_solve_that_takes_longer_becomes_a_job(start: StartService) -> None:
    """Tests the operator's limit for waiting clients."""
    running = start(sync_limit=0.2)
    gate = Gate()
    running.backend.solve = gate
    answer = running.client.post("/v1/solve", json={"profile": PROFILE})
    assert answer.status_code == 202
    job = answer.json()
    assert answer.headers["location"] == job["links"]["self"] == f"/v1/jobs/{job['id']}"
    gate.opened.set()
    wait_until(lambda: running.client.get(job["links"]["self"]).json()["state"] == "done")
    assert running.client.post("/v1/solve", json={"profile": PROFILE}).status_code == 200


def test_a_client_may_prefer_a_job(running: Running) -> None:
    """Tests Prefer: respond-async."""
    answer = running.client.post(
        "/v1/solve", json={"profile": PROFILE}, headers={"Prefer": "respond-async"}
    )
    assert answer.status_code == 202
    assert answer.json()["state"] in ("queued", "running", "done")


def test_an_infeasible_profile_names_rank_and_limit(running: Running) -> None:
    """Tests the document of the problem."""
    answer = running.client.post("/v1/solve", json={"profile": {**LIMITED, "memory_limit": 1}})
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["type"] == "/problems/infeasible"
    assert (problem["rank"], problem["limit"], problem["needed"]) == (0, 2**30, 2 * 2**30)
    assert "rank 0 binds" in problem["detail"]
    assert running.client.get(problem["type"]).status_code == 200


@pytest.mark.parametrize(
    ("change", "pointer", "words"),
    [
        ({"profile": {**PROFILE, "ranks": 0}}, "/profile/ranks", "0"),
        ({"profile": {**PROFILE, "rank": 4}}, "/profile/rank", "ranks"),
        ({"options": {"method": "atuo"}}, "/options/method", "is auto meant?"),
        ({"options": {"effort": "huge"}}, "/options/effort", "'fast', 'normal' or 'max'"),
        ({"options": {"seed": -1}}, "/options/seed", "greater than or equal to 0"),
        ({"options": {"seed": 1.5}}, "/options/seed", "integer"),
        ({"options": {"seed": True}}, "/options/seed", "is true"),
        ({"options": {"time_limit": 0}}, "/options/time_limit", "greater than 0"),
        ({"options": {"time_limit": 1e9}}, "/options/time_limit", "3600 s at most"),
        ({"options": {"time_limit": "5"}}, "/options/time_limit", 'is "5"'),
        ({"options": {"methods": "auto"}}, "/options/methods", "is method meant?"),
        ({"option": {}}, "/option", "is options meant?"),
        ({"profile": None}, "/profile", "is null"),
        ({"profile": []}, "/profile", "is a list"),
    ],
)
def test_a_wrong_input_is_told_by_place(
    running: Running, change: dict[str, Any], pointer: str, words: str
) -> None:
    """Tests that a problem names the place, what was given and what is allowed."""
    answer = running.client.post("/v1/solve", json={"profile": PROFILE, **change})
    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"
    (place,) = answer.json()["errors"]
    assert place["pointer"] == pointer
    assert words in place["message"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "not valid JSON"),
        (b"{", "line 1, column 2"),
        (b"[]", "is not an object but a list"),
        (b"\xff", "not UTF-8"),
        (b'{"profile": {}, "profile": {}}', "stands twice"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"profile": {"ranks": NaN}}', "/profile"),
        (b"{}", "/profile"),
    ],
)
def test_a_body_that_cannot_be_read_is_told(running: Running, text: bytes, words: str) -> None:
    """Tests what is wrong before anything of it means something."""
    headers = {"Content-Type": "application/json"}
    answer = running.client.post("/v1/solve", content=text, headers=headers)
    assert answer.status_code in (400, 422)
    assert words in answer.text


def test_a_method_that_is_not_made_for_the_profile_is_told(running: Running) -> None:
    """Tests a linear schedule on a V placement."""
    body = {"profile": {**PROFILE, "placement": "v"}, "options": {"method": "1f1b"}}
    answer = running.client.post("/v1/solve", json=body)
    assert answer.status_code == 422
    assert answer.json()["type"] == "/problems/bad-method"


def test_a_failure_is_kept_and_told_to_all_who_ask(running: Running) -> None:
    """Tests that a bug in a solver is a problem document without a traceback."""

    def broken(*arguments: object) -> Any:
        raise RuntimeError("secret details")

    running.backend.solve = broken
    answer = running.client.post("/v1/solve", json={"profile": PROFILE})
    assert answer.status_code == 500
    assert answer.json()["type"] == "/problems/internal"
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
