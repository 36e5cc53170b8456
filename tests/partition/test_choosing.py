"""Tests that the chosen partition is judged by schedules."""

from __future__ import annotations

from typing import Any

import pytest

from nobubble.partition.choosing import choose_partition
from nobubble.profile.reading import parse_model
from nobubble.solve import solve
from tests.partition.models import model_of, op


def cost_of(document: dict[str, Any], placement: list[int], partition: tuple[int, ...]) -> float:
    """Give what a quick solve makes of a partition."""
    profile = parse_model(document).profile(placement, partition)
    return float(solve(profile, effort="fast")["cost"])


@pytest.mark.parametrize("placement", [[0, 1, 2, 3], [0, 1, 2, 3, 3, 2, 1, 0], [0, 1, 2, 3] * 2])
def test_is_never_worse_than_the_even_split(placement: list[int]) -> None:
    """Tests that the schedule of the chosen partition costs no more than that of the even one."""
    document = model_of(op(1, 0, 3), op(5, 5, 4, count=14), op(9, 9, 8))
    choice = choose_partition(parse_model(document), placement)
    assert sum(choice.partition) == 16
    assert choice.cost is not None
    assert choice.even_cost is not None
    assert choice.cost < choice.even_cost
    assert cost_of(document, placement, choice.partition) * 10**6 == choice.cost
    assert cost_of(document, placement, choice.even) * 10**6 == choice.even_cost


def test_is_the_same_every_time() -> None:
    """Tests that choosing again gives the same partition, after the same solves."""
    model = parse_model(model_of(op(2, 2, 1), op(5, 5, 4, count=10), op(3, 3, 3)))
    placement = [0, 1, 2, 3, 3, 2, 1, 0]
    assert choose_partition(model, placement) == choose_partition(model, placement)


def test_a_partition_that_fits_is_found_where_the_even_one_does_not() -> None:
    """Tests that static memory that lies with a few layers moves the cut."""
    heavy = {**op(1, 1, 1, count=2), "static_memory": 30}
    light = {**op(1, 1, 1, count=6), "static_memory": 1}
    model = parse_model(model_of(heavy, light, memory_limit=65, ranks=2))
    choice = choose_partition(model, [0, 1])
    assert choice.partition == (2, 6)
    assert choice.even_cost is None
    assert choice.cost is not None


def test_without_memory_for_any_there_is_no_cost() -> None:
    """Tests that a model that fits nowhere is told by costs that are missing."""
    document = model_of({**op(1, 1, 1, count=4), "static_memory": 9}, memory_limit=5, ranks=2)
    choice = choose_partition(parse_model(document), [0, 1])
    assert choice.cost is None
    assert choice.even_cost is None
