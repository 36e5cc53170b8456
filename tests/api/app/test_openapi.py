"""Tests that the OpenAPI document is committed, and that its examples are true."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nobubble_api.app import create_app
from nobubble_api.openapi import openapi_of
from nobubble_api.settings import Settings
from tests.api.app.conftest import Running

COMMITTED = Path(__file__).parents[3] / "docs/openapi.json"
DOCUMENT: dict[str, Any] = json.loads(COMMITTED.read_text())
EXAMPLES = [
    (path, body)
    for path, operations in DOCUMENT["paths"].items()
    for operation in operations.values()
    if "requestBody" in operation
    for body in operation["requestBody"]["content"]["application/json"]["examples"].values()
]


def test_the_committed_document_is_that_of_the_service() -> None:
    """Tests for drift; `make schemas` writes it anew."""
    text = json.dumps(openapi_of(create_app(Settings())), indent=2, ensure_ascii=False) + "\n"
    assert text == COMMITTED.read_text("utf-8")
    assert DOCUMENT["openapi"].startswith("3.1")


@pytest.mark.parametrize(("path", "example"), EXAMPLES, ids=lambda value: str(value)[:30])
def test_every_example_is_taken(running: Running, path: str, example: dict[str, Any]) -> None:
    """Tests the examples of every call."""
    body = example["value"]
    if "schedule" in body:
        body = {**body, "schedule": _solved(running, body)}
    answer = running.client.post(path, json=body)
    assert answer.status_code in (200, 202), answer.text
    assert str(answer.status_code) in DOCUMENT["paths"][path]["post"]["responses"]


def _solved(running: Running, body: dict[str, Any]) -> object:
    return running.client.post("/v1/solve", json={"profile": body["profile"]}).json()


def test_every_call_that_takes_a_body_has_an_example() -> None:
    """Tests that nobody has to guess."""
    assert {path for path, _ in EXAMPLES} == {
        path for path, operations in DOCUMENT["paths"].items() if "post" in operations
    }
