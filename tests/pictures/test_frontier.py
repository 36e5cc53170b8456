"""Tests of the picture of time against memory."""

from __future__ import annotations

import re
from decimal import Decimal
from xml.etree import ElementTree

import pytest

from nobubble.comparison.sweep import Curve, Frontier, Point
from nobubble.pictures.frontier import frontier_svg
from nobubble.profile.reading import parse_model
from tests.partition.models import model_of, op
from tests.pictures.test_svg import NAMESPACE, texts


def frontier(name: str | None = "a model", limit: float | None = 20) -> Frontier:
    """Give two families, one better with little memory, the other with much."""

    def points(*pairs: tuple[float, float]) -> tuple[Point, ...]:
        return tuple(Point(Decimal(str(m)), Decimal(str(c)), "greedy") for m, c in pairs)

    model = parse_model(model_of(op(1, 1, 1, count=8), name=name, memory_limit=limit))
    linear = Curve("linear", None, points((16, 150), (24, 100)), points((18, 140)))
    v = Curve("v", None, points((8, 500), (12, 120), (30, 110)), ())
    return Frontier(model, (linear, v), ())


def test_it_is_a_picture_that_stands_alone() -> None:
    """Tests that it is well-formed, says what it is, and refers to nothing."""
    picture = frontier_svg(frontier())
    root = ElementTree.fromstring(picture)
    assert root.findtext("svg:title", namespaces=NAMESPACE) == (
        "Iteration time against memory: a model"
    )
    described = root.findtext("svg:desc", namespaces=NAMESPACE) or ""
    assert "v 120 ms at 12 GB; linear 100 ms at 24 GB" in described
    assert not re.search(r"<script|<style|<image|href|url\(|\bid=|\bclass=", picture)


def test_axes_and_lines_are_named() -> None:
    """Tests that families, schedules by name, axes with units and the limit are there."""
    words = texts(frontier_svg(frontier()))
    for word in ("linear", "v", "greedy", "memory of a rank, GB", "makespan, ms", "limit 20"):
        assert word in words


def test_without_a_limit_none_is_drawn() -> None:
    """Tests that no limit is marked where there is none."""
    assert not [word for word in texts(frontier_svg(frontier(limit=None))) if "limit" in word]


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "a & b", "‮rtl", None])
def test_any_name_is_text(name: str | None) -> None:
    """Tests that a name cannot break the picture."""
    ElementTree.fromstring(frontier_svg(frontier(name=name)))


def test_the_same_bytes() -> None:
    """Tests that drawing again gives the same picture."""
    assert frontier_svg(frontier()) == frontier_svg(frontier())
