"""Tests that stored schedules come in all their forms."""

from __future__ import annotations

import json

import pytest

from nobubble.pictures.html import html
from nobubble.pictures.svg import svg
from nobubble.pictures.trace import trace
from nobubble.schedule.reading import parse_schedule
from nobubble_api.examples import LIMITED
from tests.api.app.conftest import Running

TRACE = "application/vnd.chrome.trace+json"


@pytest.fixture
def at(running: Running) -> str:
    """Give the address of a stored schedule."""
    answer = running.client.post("/v1/solve", json={"profile": LIMITED})
    location: str = answer.headers["content-location"]
    return location


@pytest.mark.parametrize(
    ("suffix", "accept", "kind"),
    [
        ("", "*/*", "application/json"),
        (".json", "text/html", "application/json"),
        (".svg", "*/*", "image/svg+xml"),
        (".html", "*/*", "text/html; charset=utf-8"),
        (".trace.json", "*/*", TRACE),
        (".csv", "*/*", "text/csv; charset=utf-8"),
        (".comms.csv", "*/*", "text/csv; charset=utf-8"),
        ("", "image/svg+xml", "image/svg+xml"),
        ("", "image/*", "image/svg+xml"),
        ("", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8", "text/html; charset=utf-8"),
        ("", "application/json;q=0.1, image/svg+xml", "image/svg+xml"),
        ("", f"{TRACE}", TRACE),
    ],
)
def test_the_form_is_by_suffix_or_by_accept(
    running: Running, at: str, suffix: str, accept: str, kind: str
) -> None:
    """Tests every suffix, and that a browser gets a page."""
    answer = running.client.get(at + suffix, headers={"Accept": accept})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == kind


def test_forms_are_what_render_writes(running: Running, at: str) -> None:
    """Tests each form against the functions behind `nobubble render`."""
    document = parse_schedule(json.loads(running.client.get(at).content))
    for suffix, render in ((".svg", svg), (".html", html), (".trace.json", trace)):
        assert running.client.get(at + suffix).text == render(document)


def test_a_picture_that_the_client_has_is_not_sent_again(running: Running, at: str) -> None:
    """Tests that every form has a tag of its own."""
    tag = running.client.get(at + ".svg").headers["etag"]
    assert running.client.get(at + ".svg", headers={"If-None-Match": tag}).status_code == 304
    assert running.client.get(at + ".html", headers={"If-None-Match": tag}).status_code == 200


def test_a_page_may_do_nothing_but_show_itself(running: Running, at: str) -> None:
    """Tests the policy of the page, whose texts come from a client's profile."""
    policy = running.client.get(at + ".html").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy


def test_no_such_form_is_told(running: Running, at: str) -> None:
    """Tests an Accept that cannot be met."""
    answer = running.client.get(at, headers={"Accept": "video/mp4"})
    assert answer.status_code == 406
    assert "image/svg+xml" in answer.json()["detail"]


@pytest.mark.parametrize("name", ["0" * 64, "0" * 64 + ".svg", "0" * 63, "x", "0" * 64 + ".exe"])
def test_an_unknown_schedule_is_not_found(running: Running, name: str) -> None:
    """Tests hashes that are not stored, and names that are none."""
    answer = running.client.get(f"/v1/schedules/{name}")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
