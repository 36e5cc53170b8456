"""Tests of the page in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

from nobubble.pictures.html import html
from nobubble.schedule.document import ScheduleDocument
from tests.browser import browser, in_browser
from tests.pictures.documents import linear_document, v_document
from tests.pictures.schedules import SCHEDULES

Scheme = Literal["light", "dark"]
pytestmark = in_browser
__all__ = ["browser"]


class Opened:
    """A page that is open in the browser, and what it complained of or asked for.

    Parameters
    ----------
    browser : Browser
    path : Path
        Where the page is written.
    document : ScheduleDocument
    scheme : {"light", "dark"}
    """

    def __init__(
        self,
        browser: Browser,
        path: Path,
        document: ScheduleDocument,
        scheme: Scheme = "light",
    ) -> None:
        path.write_text(html(document), encoding="utf-8")
        context = browser.new_context(color_scheme=scheme, viewport={"width": 1200, "height": 800})
        self.page: Page = context.new_page()
        self.said: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.said.append(request.url))
        self.page.goto(path.as_uri())
        expect(self.page.locator("#chart[data-drawn]")).to_be_visible()
        assert self.said == [path.as_uri()]
        self.said.clear()
        box = self.page.locator("#canvas").bounding_box()
        assert box
        self.left, self.top, self.width = box["x"], box["y"], box["width"]

    def at(self, part: float, rank: int = 0) -> tuple[float, float]:
        """Give the point of a rank's bar at a part of the time in view."""
        pitch = self.page.evaluate("document.querySelector('#extent').clientHeight - 36")
        ranks = self.page.locator("tbody tr").count()
        gutter = 112
        x = self.left + gutter + part * (self.width - gutter - 8)
        return x, self.top + 30 + rank * pitch / ranks + 8

    def view(self) -> tuple[float, float]:
        """Give the part of the iteration that is in view, once all is drawn, in ns."""
        self.page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
        chart = self.page.locator("#chart")
        return float(chart.get_attribute("data-from") or 0), float(
            chart.get_attribute("data-to") or 0
        )

    def tip(self) -> str:
        """Give what the tip says."""
        return self.page.locator("#tip").inner_text()


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        ("v", "light"),
        ("crowded", "dark"),
        ("one microbatch", "dark"),
        ("no time", "light"),
        ("hostile name", "light"),
    ],
)
def test_it_opens_quietly(browser: Browser, tmp_path: Path, name: str, scheme: Scheme) -> None:
    """Tests that there is no error and no request, and that something is drawn."""
    opened = Opened(browser, tmp_path / "page.html", SCHEDULES[name](), scheme)
    colours = opened.page.evaluate(
        """() => {
          const canvas = document.getElementById("canvas");
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return new Set(new Uint32Array(data.buffer)).size;
        }"""
    )
    assert colours > 3
    opened.page.mouse.move(*opened.at(0.5))
    opened.view()
    assert opened.said == []


def test_pointing_at_an_op_tells_what_it_is(browser: Browser, tmp_path: Path) -> None:
    """Tests the tip over the first F, over an op that waited, and over a bubble."""
    opened = Opened(browser, tmp_path / "page.html", linear_document(4, 3))
    opened.page.mouse.move(*opened.at(5 / 143))
    said = opened.tip()
    assert "F of stage 0, microbatch 0" in said
    assert "10 ms" in said
    opened.page.mouse.move(*opened.at(80 / 143))
    assert "B of stage 0, microbatch 0" in opened.tip()
    assert "49 ms for B of stage 1, microbatch 0 on rank 1" in opened.tip()
    opened.page.mouse.move(*opened.at(50 / 143))
    assert "idle, rank 0" in opened.tip()
    assert "B of stage 0, microbatch 0" in opened.tip()
    assert opened.said == []


def test_wheel_drag_and_reset(browser: Browser, tmp_path: Path) -> None:
    """Tests that the wheel zooms at the pointer, dragging moves, and reset shows all again."""
    opened = Opened(browser, tmp_path / "page.html", linear_document(8, 24))
    whole = opened.view()
    opened.page.mouse.move(*opened.at(0.25))
    opened.page.mouse.wheel(0, -500)
    near = opened.view()
    assert near[1] - near[0] < 0.5 * whole[1]
    assert near[0] + 0.25 * (near[1] - near[0]) == pytest.approx(0.25 * whole[1], rel=0.01)
    opened.page.mouse.down()
    opened.page.mouse.move(*opened.at(0.05), steps=4)
    opened.page.mouse.up()
    moved = opened.view()
    assert moved[0] - near[0] == pytest.approx(0.2 * (near[1] - near[0]), rel=0.02)
    opened.page.get_by_role("button", name="Reset").click()
    assert opened.view() == whole


def test_keys(browser: Browser, tmp_path: Path) -> None:
    """Tests going from op to op, zooming, moving and resetting without a pointer."""
    opened = Opened(browser, tmp_path / "page.html", v_document(4, 8))
    whole = opened.view()
    opened.page.locator("#chart").focus()
    keys = opened.page.keyboard
    keys.press("ArrowRight")
    assert "F of stage 0, microbatch 0" in opened.tip()
    keys.press("ArrowRight")
    assert "F of stage 0, microbatch 1" in opened.tip()
    keys.press("ArrowDown")
    assert "F of stage 1, microbatch 0" in opened.tip()
    keys.press("+")
    near = opened.view()
    assert near[1] - near[0] == pytest.approx((whole[1] - whole[0]) / 1.5)
    keys.press("Shift+ArrowRight")
    assert opened.view()[0] > near[0]
    keys.press("0")
    assert opened.view() == whole
    assert opened.said == []


def test_memory_can_be_hidden(browser: Browser, tmp_path: Path) -> None:
    """Tests that without the memory curves the chart is shorter."""
    opened = Opened(browser, tmp_path / "page.html", linear_document(4, 3))
    height = opened.page.locator("#extent").bounding_box()
    opened.page.get_by_role("button", name="Memory").click()
    lower = opened.page.locator("#extent").bounding_box()
    assert height
    assert lower
    assert lower["height"] < 0.7 * height["height"]
