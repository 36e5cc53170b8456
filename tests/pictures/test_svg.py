"""Tests of the SVG."""

from __future__ import annotations

import re
from collections import Counter
from xml.etree import ElementTree

import pytest

from nobubble.pictures.palette import shade
from nobubble.pictures.svg import svg
from nobubble.problem import KINDS
from nobubble.schedule.document import ScheduleDocument
from tests.pictures.documents import linear_document, v_document
from tests.pictures.schedules import HOSTILE, SCHEDULES

NAMESPACE = {"svg": "http://www.w3.org/2000/svg"}


def texts(picture: str) -> list[str]:
    """Give all texts of a picture."""
    root = ElementTree.fromstring(picture)
    return ["".join(text.itertext()) for text in root.iterfind(".//svg:text", NAMESPACE)]


def boxes(picture: str, colour: str) -> list[str]:
    """Give the rectangles that are drawn as paths in a colour."""
    root = ElementTree.fromstring(picture)
    paths = root.iterfind(f".//svg:path[@fill='{colour}']", NAMESPACE)
    return [box for path in paths for box in re.findall("M[^M]+", path.get("d", ""))]


def test_it_is_a_picture(document: ScheduleDocument) -> None:
    """Tests that every schedule gives well-formed SVG with a title and a description."""
    root = ElementTree.fromstring(svg(document))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.findtext("svg:title", namespaces=NAMESPACE)
    assert "lower bound" in (root.findtext("svg:desc", namespaces=NAMESPACE) or "")


def test_it_stands_alone(document: ScheduleDocument) -> None:
    """Tests that it refers to nothing, runs nothing and names nothing that a page could name."""
    picture = svg(document)
    assert not re.search(r"<script|<style|<image|href|url\(|\bid=|\bclass=", picture)


def test_the_same_bytes(document: ScheduleDocument) -> None:
    """Tests that drawing again gives the same picture."""
    assert svg(document) == svg(document)


@pytest.mark.parametrize("kind", range(3))
def test_every_op_is_drawn(kind: int) -> None:
    """Tests that there is a rectangle for every op of a kind."""
    assert len(boxes(svg(linear_document(4, 8)), shade(kind, 0, 1))) == 4 * 8


def test_every_op_has_its_number_where_it_fits() -> None:
    """Tests that a small schedule shows the microbatch of every op."""
    picture = svg(linear_document(4, 3))
    root = ElementTree.fromstring(picture)
    groups = root.iterfind("svg:g", NAMESPACE)
    numbers = Counter(text.text for group in groups for text in group)
    assert numbers == {"0": 12, "1": 12, "2": 12}


def test_stages_of_a_rank_are_shades() -> None:
    """Tests that on a V both stages of a rank are drawn in their own shade, and explained."""
    picture = svg(v_document(4, 8))
    assert len(boxes(picture, shade(0, 0, 2))) == len(boxes(picture, shade(0, 1, 2))) == 4 * 8
    assert any("later stages" in text for text in texts(picture))


def test_crowds_are_drawn_as_shares_and_it_says_so() -> None:
    """Tests that ops too narrow to be seen become shares, with an explanation."""
    picture = svg(SCHEDULES["crowded"]())
    assert any("share of each kind" in text for text in texts(picture))
    assert len(boxes(picture, shade(0, 0, 1))) == 2


def test_a_large_schedule_is_of_sensible_size() -> None:
    """Tests that 24,576 ops make less than 3 MB."""
    assert len(svg(linear_document(32, 256))) < 3_000_000


def test_a_name_is_only_text() -> None:
    """Tests that a profile's name is shown as it is, but for characters that XML cannot hold."""
    picture = svg(SCHEDULES["hostile name"]())
    assert "<script" not in picture
    title = ElementTree.fromstring(picture).findtext("svg:title", namespaces=NAMESPACE)
    assert title == HOSTILE.replace("\x1b", "\ufffd")


def test_a_peak_over_the_limit_is_red() -> None:
    """Tests that the rank's memory stands out."""
    assert 'fill="#b3261e">498.1 of 314.6' in svg(SCHEDULES["rank span"]())


def test_the_lower_bound_is_marked() -> None:
    """Tests that a schedule that is not proven optimal shows where the bound lies."""
    assert "lower bound" in texts(svg(v_document(2, 4)))[-20:] or any(
        "stroke-dasharray" in line for line in svg(v_document(2, 4)).splitlines()
    )
    assert "stroke-dasharray" not in svg(linear_document(2, 4))


def test_kinds_are_in_the_legend(document: ScheduleDocument) -> None:
    """Tests that the legend explains just the kinds that occur."""
    shown = {
        text.split(" ")[0] for text in texts(svg(document)) if re.match("(F|BW?|W) [a-z]", text)
    }
    occurring = {a["op"] for rank in document["ranks"] for a in rank["actions"]}
    assert shown == occurring & set(KINDS)


def test_two_side_by_side_have_one_time_axis() -> None:
    """Tests that ops are as wide in both pictures, the longer schedule drawn as it is alone."""
    short, long = linear_document(4, 3), linear_document(4, 8)
    pictures = svg(short, beside=long), svg(long, beside=short)
    widths = {ElementTree.fromstring(picture).get("width") for picture in pictures}
    assert len(widths) == 1
    firsts = [boxes(picture, shade(0, 0, 1))[0] for picture in pictures]
    assert firsts[0] == firsts[1]
    assert svg(long, beside=short) == svg(long)
    assert svg(short, beside=long) != svg(short)
