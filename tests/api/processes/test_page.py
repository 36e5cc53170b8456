"""Tests of the page at /, in a real browser against a real service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from nobubble_api.examples import COMPARE, LIMITED
from tests.api.serving import Server, server
from tests.browser import browser, in_browser

__all__ = ["browser", "server"]
pytestmark = in_browser

EXAMPLE: Any = COMPARE["layers"]
MODEL = EXAMPLE["value"]["profile"]


@pytest.fixture
def page(browser: Browser, server: Server) -> Iterator[Page]:
    """Open the page; a complaint in its console fails the test."""
    complaints: list[str] = []
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    opened = context.new_page()
    opened.on(
        "console",
        lambda message: complaints.append(message.text) if message.type == "error" else None,
    )
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.goto(server.url)
    expect(opened.locator("#about")).to_contain_text("measured-p8")
    yield opened
    context.close()
    expected = [text for text in complaints if "422" not in text]
    assert expected == []


def test_a_ready_profile_is_solved_and_shown(page: Page) -> None:
    """Tests the way of a newcomer: open, press solve, see the schedule and its memory curves."""
    page.get_by_label("Microbatches").fill("16")
    page.get_by_role("button", name="Solve").click()
    expect(page.locator("#status")).to_contain_text("done:", timeout=60_000)
    expect(page.locator("#status")).to_contain_text("gap")
    assert page.locator("#curve polyline").count() == 2
    frame = page.frame_locator("#picture")
    expect(frame.locator("h1")).to_contain_text("measured-p8")
    assert frame.locator("#canvas").evaluate("canvas => canvas.width") > 300
    expect(frame.get_by_role("button", name="Memory")).to_be_visible()


def test_the_keyboard_is_enough(page: Page) -> None:
    """Tests choosing, changing and solving without a mouse."""
    page.get_by_label("Ready profile").focus()
    page.keyboard.type("minimal")
    expect(page.locator("#about")).to_contain_text("minimal")
    page.get_by_label("Microbatches").focus()
    page.keyboard.press("Control+a")
    page.keyboard.type("4")
    page.keyboard.press("Enter")
    expect(page.locator("#status")).to_contain_text("proven optimal", timeout=60_000)


def test_a_file_is_taken_and_its_schedule_downloaded(page: Page, tmp_path: Path) -> None:
    """Tests a profile of one's own, changed by the form, and every download."""
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(LIMITED))
    page.get_by_label("or a JSON file").set_input_files(path)
    expect(page.locator("#about")).to_contain_text("mine.json: 4 ranks")
    page.locator("#limit").fill("4")
    page.get_by_role("button", name="Solve").click()
    expect(page.locator("#status")).to_contain_text("done:", timeout=60_000)
    texts = {}
    for label in ("JSON", "SVG", "HTML", "Trace", "CSV"):
        with page.expect_download() as download:
            page.locator("#downloads").get_by_role("button", name=label).click()
        texts[label] = Path(download.value.path()).read_text()
    assert json.loads(texts["JSON"])["profile"]["memory_limit"] == [4] * 4
    assert texts["SVG"].startswith("<svg")
    assert "traceEvents" in texts["Trace"]
    assert texts["CSV"].startswith("0F0,")


def test_an_infeasible_limit_is_explained(page: Page) -> None:
    """Tests that the page shows the problem in words."""
    page.locator("#limit").fill("10")
    page.get_by_role("button", name="Solve").click()
    expect(page.get_by_role("alert")).to_contain_text("rank 1 binds", timeout=60_000)


def test_families_stand_side_by_side(page: Page) -> None:
    """Tests the table of families, its advice, and their pictures."""
    page.get_by_label("Ready profile").select_option("minimal")
    expect(page.locator("#about")).to_contain_text("minimal")
    page.get_by_role("button", name="Compare families").click()
    expect(page.locator("#compare")).to_be_enabled(timeout=90_000)
    expect(page.locator("#advice")).to_contain_text("Take linear")
    rows = page.locator("#rows tr")
    assert rows.count() >= 5
    expect(rows.filter(has_text="1f1b").first).to_be_visible()
    expect(rows.first.locator("img")).to_be_visible()
    assert page.locator("#rows tr.best").count() == 1
    page.get_by_text("Left out").click()
    expect(page.locator("#left-out")).to_contain_text("but only 4 layers")


def test_a_model_in_layers_is_compared(page: Page, tmp_path: Path) -> None:
    """Tests a file with layers, chosen by hand."""
    path = tmp_path / "layers.json"
    path.write_text(json.dumps(MODEL))
    page.locator("#file").set_input_files(path)
    expect(page.locator("#about")).to_contain_text("2 ranks, 10 layers")
    page.locator("#effort").select_option("fast")
    page.get_by_role("button", name="Compare families").click()
    expect(page.locator("#compare")).to_be_enabled(timeout=90_000)
    expect(page.locator("#advice")).to_contain_text("Take ")
    expect(page.locator("#rows tr").filter(has_text="interleaved-4").first).to_be_visible()
