"""Tests of tokens, limits on bodies, request ids, and what is never told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nobubble.errors import InputError
from nobubble_api.auth import Tokens
from nobubble_api.examples import PROFILE
from nobubble_api.settings import Settings
from tests.api.app.conftest import Running, StartService

BODY = {"profile": PROFILE}


def bearer(token: str) -> dict[str, str]:
    """Give the header of a token."""
    return {"Authorization": f"Bearer {token}"}


def test_tokens_have_roles(start: StartService) -> None:
    """Tests nobody, a wrong token, one that reads and one that solves."""
    client = start(tokens="read r-token, solve s-token").client
    assert client.get("/v1/jobs").status_code == 401
    assert client.get("/v1/jobs").headers["www-authenticate"] == "Bearer"
    assert client.get("/v1/jobs", headers=bearer("x")).status_code == 401
    assert client.get("/v1/jobs", headers={"Authorization": "Basic eDp5"}).status_code == 401
    assert client.get("/v1/jobs", headers=bearer("r-token")).status_code == 200
    refused = client.post("/v1/solve", json=BODY, headers=bearer("r-token"))
    assert refused.status_code == 403
    assert refused.headers["content-type"] == "application/problem+json"
    assert client.post("/v1/solve", json=BODY, headers=bearer("s-token")).status_code == 200
    assert client.get("/v1/jobs", headers=bearer("s-token")).status_code == 200


def test_every_call_but_health_and_the_page_needs_a_token(start: StartService) -> None:
    """Tests all paths of the OpenAPI document."""
    client = start(tokens="solve s-token").client
    document = client.get("/openapi.json").json()
    opened = set()
    for path, operations in document["paths"].items():
        for method in operations:
            filled = path.replace("{job_id}", "0" * 32).replace("{name}", "0" * 64)
            answer = client.request(method, filled.replace("{slug}", "internal"))
            if answer.status_code != 401:
                opened.add(path)
    assert opened == {"/healthz", "/readyz", "/problems/{slug}"}


def test_tokens_come_from_a_file(tmp_path: Path) -> None:
    """Tests comments and empty lines, and that a wrong line does not show its secret."""
    path = tmp_path / "tokens"
    path.write_text("# launchers\nsolve one\n\nread two\n")
    tokens = Tokens.of(Settings.read(tokens_file=path))
    assert (tokens.role_of("one"), tokens.role_of("two")) == ("solve", "read")
    assert tokens.role_of("three") is None
    path.write_text("solve one\nadmin hush\n")
    with pytest.raises(InputError, match="line 2 is not a role and a token") as caught:
        Tokens.of(Settings.read(tokens_file=path))
    assert "hush" not in str(caught.value)
    with pytest.raises(InputError, match="cannot be read: no such file"):
        Tokens.of(Settings.read(tokens_file=tmp_path / "none"))
    path.write_text("# nobody\n")
    with pytest.raises(InputError, match="there is no token"):
        Tokens.of(Settings.read(tokens_file=path))


def test_another_address_than_loopback_needs_tokens() -> None:
    """Tests that a service is open to all only where that was said."""
    with pytest.raises(InputError, match="would let anyone in"):
        Settings.read(host="0.0.0.0")
    assert Settings.read(host="0.0.0.0", tokens="solve x").has_tokens()
    assert Settings.read(host="0.0.0.0", allow_anyone=True).allow_anyone
    for host in ("127.0.0.1", "::1", "localhost"):
        assert Settings.read(host=host).is_on_loopback()


@pytest.mark.parametrize(
    ("name", "value"),
    [("PORT", "70000"), ("MAX_BODY", "x"), ("SYNC_LIMIT", "nan"), ("LOG_LEVEL", "loud")],
)
def test_a_wrong_setting_is_told_by_its_name(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    """Tests settings that come from the environment."""
    monkeypatch.setenv(f"NOBUBBLE_{name}", value)
    with pytest.raises(InputError, match=f"^NOBUBBLE_{name}: "):
        Settings.read()


def test_a_database_that_is_not_known_is_refused(tmp_path: Path) -> None:
    """Tests the URL of another kind of database, and a folder that cannot be made."""
    with pytest.raises(InputError, match="'mysql' is no database that nobubble knows"):
        Settings.read(database_url="mysql://x").store_url()
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be made"):
        Settings.read(data_dir=tmp_path / "file" / "data").store_url()
    secret = Settings.read(database_url="postgresql://user:hush@host/database")
    assert "hush" not in repr(secret)
    assert secret.store_url() == "postgresql+psycopg://user:hush@host/database"


def test_a_body_that_is_too_large_is_413(start: StartService) -> None:
    """Tests a declared length, a body without one, and a body just within."""
    client = start(max_body=2048).client
    text = json.dumps(BODY)
    fits = text + " " * (2048 - len(text))
    headers = {"Content-Type": "application/json"}
    assert client.post("/v1/solve", content=fits, headers=headers).status_code == 200
    for content in (fits + " ", iter([fits.encode(), b" "])):
        answer = client.post("/v1/solve", content=content, headers=headers)
        assert answer.status_code == 413
        assert answer.headers["content-type"] == "application/problem+json"
        assert "NOBUBBLE_MAX_BODY" in answer.json()["detail"]


def test_a_problem_that_is_too_large_is_413(start: StartService) -> None:
    """Tests the limit on ops."""
    client = start(max_ops=95).client
    answer = client.post("/v1/solve", json=BODY)
    assert answer.status_code == 413
    assert (answer.json()["ops"], answer.json()["most"]) == (96, 95)


def test_a_body_that_is_not_json_is_415(running: Running) -> None:
    """Tests a form."""
    answer = running.client.post("/v1/solve", data={"profile": "x"})
    assert answer.status_code == 415
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_request_id_is_taken_and_given_back(running: Running) -> None:
    """Tests one that is given, one that is not usable, and none."""
    client = running.client
    assert client.get("/healthz", headers={"X-Request-ID": "a-1"}).headers["x-request-id"] == "a-1"
    odd = client.get("/healthz", headers={"X-Request-ID": "a b"}).headers["x-request-id"]
    assert odd != "a b"
    assert len(client.get("/healthz").headers["x-request-id"]) == 32


def test_logs_have_the_request_id_and_nothing_of_the_profile(
    running: Running, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tests what is logged of a solve."""
    body = {"profile": {**PROFILE, "name": "hush-hush"}}
    running.client.post("/v1/solve", json=body, headers={"X-Request-ID": "launch-17"})
    captured = capsys.readouterr()
    assert "launch-17" in captured.out + captured.err
    assert "hush" not in captured.out + captured.err


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/nothing", 404),
        ("PUT", "/v1/solve", 405),
        ("GET", "/v1/solve", 405),
        ("GET", "/page/../app.py", 404),
        ("GET", "/page/__init__.py", 404),
    ],
)
def test_what_there_is_not_is_a_problem(
    running: Running, method: str, path: str, status: int
) -> None:
    """Tests addresses and methods."""
    answer = running.client.request(method, path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_bug_is_a_problem_without_details(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests an exception that nobody foresaw."""

    def broken(*arguments: Any, **named: Any) -> Any:
        raise RuntimeError("secret details")

    monkeypatch.setattr(running.service.store, "jobs", broken)
    answer = running.client.get("/v1/jobs")
    assert answer.status_code == 500
    assert answer.json()["request_id"] == answer.headers["x-request-id"]
    assert "secret" not in answer.text


def test_a_store_that_fails_is_503(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that a full disk is told, with a time to come back."""
    from nobubble_api.store.errors import StoreError

    def full(*arguments: Any, **named: Any) -> Any:
        raise StoreError("the disk is full")

    monkeypatch.setattr(running.service.store, "submit", full)
    answer = running.client.post("/v1/solve", json=BODY)
    assert answer.status_code == 503
    assert answer.json()["detail"] == "the disk is full"
    assert "retry-after" in answer.headers
