"""Tests where a schedule may come from, and what is said where it does not."""

from __future__ import annotations

import hashlib
import http.server
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from nobubble_torch.document import actions_sha256, parse
from nobubble_torch.errors import ScheduleError, SourceError
from nobubble_torch.source import read_source
from tests.runtime.schedules import schedule

BODY = json.dumps({"schema": "nobubble.schedule/1"}).encode()
NAME = hashlib.sha256(BODY).hexdigest()
OTHER = "0" * 64


class Service(http.server.BaseHTTPRequestHandler):
    """Answers as the service does to who asks for a schedule with the token ``secret``."""

    def do_GET(self) -> None:
        allowed = self.headers.get("Authorization") == "Bearer secret"
        known = self.path.removesuffix(".json") in (f"/v1/schedules/{n}" for n in (NAME, OTHER))
        self.send_response(401 if not allowed else 200 if known else 404)
        self.end_headers()
        if allowed and known:
            self.wfile.write(BODY)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1/schedules"
        server.shutdown()


def test_a_schedule_comes_from_a_file_or_as_it_is(tmp_path: Path) -> None:
    """Tests a path, its text, and a dictionary."""
    file = tmp_path / "x.json"
    file.write_bytes(BODY)
    expected = {"schema": "nobubble.schedule/1"}
    assert read_source(file) == (str(file), expected)
    assert read_source(str(file)) == (str(file), expected)
    assert read_source(expected)[1] is expected


@pytest.mark.parametrize("suffix", ["", ".json"])
def test_a_schedule_comes_from_the_service(address: str, suffix: str) -> None:
    """Tests its address, with a token."""
    name, data = read_source(f"{address}/{NAME}{suffix}", "secret")
    assert name.startswith("http://")
    assert data == {"schema": "nobubble.schedule/1"}


def test_what_the_service_gives_must_have_the_hash_it_is_asked_for(address: str) -> None:
    """Tests that bytes which were changed on the way do not run."""
    with pytest.raises(SourceError, match="other bytes than its hash says"):
        read_source(f"{address}/{OTHER}", "secret")


def test_a_source_that_cannot_be_read_says_why(address: str, tmp_path: Path) -> None:
    """Tests a missing file, bad JSON, a missing token, an unknown schedule, and no server."""
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    cases: list[tuple[str, str | None, str]] = [
        (str(tmp_path / "none.json"), None, "cannot be read: no such file"),
        (str(broken), None, "broken.json is not JSON"),
        (f"{address}/{NAME}", None, "answered 401 Unauthorized; give the service's token"),
        (f"{address}/unknown", "secret", "answered 404"),
        ("http://127.0.0.1:1/x.json", None, "cannot be reached"),
    ]
    for source, token, message in cases:
        with pytest.raises(SourceError, match=message):
            read_source(source, token)


def put(pointer: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        *path, last = [int(key) if key.isdigit() else key for key in pointer.split("/")[1:]]
        place: Any = document
        for key in path:
            place = place[key]
        place[last] = value

    return change


@pytest.mark.parametrize(
    ("pointer", "value", "message"),
    [
        ("/schema", "nobubble.profile/1", "the schema is 'nobubble.profile/1'"),
        ("/schema", None, "the schema is None"),
        ("/profile", [], r"/profile is \[\]; it should be an object"),
        ("/profile/microbatches", "8", "/profile/microbatches is '8'"),
        ("/placement/1", -1, "/placement/1 is -1; it should be a whole number from 0"),
        ("/placement/1", True, "/placement/1 is True"),
        ("/placement/1", 7, "stage 1 is placed on rank 7; ranks are 0 to 3"),
        ("/placement/1", 0, "rank 1 has no stage in the placement"),
        ("/ranks", None, "/ranks is missing; it should be a list"),
        ("/ranks/1/rank", 2, "/ranks/1/rank is 2; it is 1"),
        ("/ranks/1/actions/0/op", "I", "/ranks/1/actions/0/op is 'I'; an op is one of F, B"),
        ("/ranks/1/actions/0/peer", None, "/ranks/1/actions/0/peer is missing"),
        ("/ranks/1/actions/0/stage", 1.0, "/ranks/1/actions/0/stage is 1.0"),
        ("/metrics/makespan", "long", "/metrics/makespan is 'long'"),
        ("/requires", "post_validation", "/requires is 'post_validation'"),
        ("/profile/microbatches", 0, "it has no microbatches"),
    ],
)
def test_a_document_of_another_shape_is_refused(pointer: str, value: object, message: str) -> None:
    """Tests that the message names the place."""
    from nobubble_torch.checks import check_schedule

    document = schedule("linear")
    put(pointer, value)(document)
    with pytest.raises(ScheduleError, match=message) as raised:
        check_schedule(parse(document, "x.json"))
    assert str(raised.value).startswith("x.json: ")


def test_no_object_is_refused() -> None:
    """Tests a list."""
    with pytest.raises(ScheduleError, match=r"x\.json: it is"):
        parse([], "x.json")


def test_the_hash_of_actions_is_the_documented_one() -> None:
    """Tests docs/run.md: what runs is hashed, whatever the times; another order has another."""
    from nobubble.profile.reading import parse_profile
    from nobubble.solve import solve

    documentation = Path(__file__).parents[2] / "docs"
    text = (documentation / "run.md").read_text(encoding="utf-8")
    run = json.loads(text.split("```json tiny.run.json\n")[1].split("```")[0])
    text = (documentation / "profile.md").read_text(encoding="utf-8")
    profile = json.loads(text.split("```json tiny.json\n")[1].split("```")[0])
    tiny = parse(json.loads(json.dumps(solve(parse_profile(profile)), default=float)), "tiny")
    assert run["schedule"]["actions_sha256"] == actions_sha256(tiny.rows)
    assert run["schedule"]["profile_sha256"] == tiny.profile_sha256
    changed = [tiny.rows[0][::-1], tiny.rows[1]]
    assert actions_sha256(changed) != actions_sha256(tiny.rows)
