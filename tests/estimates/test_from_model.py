"""Tests that an estimate follows the published formulae, and is called one."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from nobubble.estimates.from_model import PUBLISHED_EFFICIENCY, Shape, estimated_profile
from nobubble.profile.reading import parse_profile
from nobubble.solve import solve
from tests.published import row_name, table_rows


def shape(**keys: Any) -> Shape:
    """Give the shape of the published 6.2B model."""
    given: dict[str, Any] = {
        "hidden": 4096,
        "layers": 30,
        "heads": 32,
        "sequence": 1024,
        "microbatch_size": 3,
        "vocabulary": 50304,
        "ranks": 8,
        "microbatches": 24,
    }
    return Shape(**{**given, **keys})


@pytest.mark.parametrize("row", table_rows(), ids=row_name)
def test_published_times_are_within_a_third(row: dict[str, Any]) -> None:
    """Tests F, B and W of a stage of the paper's models against their measured times."""
    of_row = shape(
        **{key: row[key] for key in ("hidden", "layers", "heads", "sequence", "microbatch_size")},
        ranks=row["ranks"],
        microbatches=row["microbatches"],
    )
    layers = (row["layers"] + 2) // row["ranks"]
    for op, time in zip("FBW", of_row.layer_times(), strict=True):
        assert layers * time / 1e6 == pytest.approx(row["time_ms"][op], rel=1 / 3)


def test_formulae() -> None:
    """Tests times and memory of a layer by hand, at full speed."""
    size = {"hidden": 10, "heads": 2, "sequence": 100, "microbatch_size": 1}
    small = shape(**size, flops=1e9, efficiency=(1, 1, 1))
    tokens = 100
    assert small.layer_times() == (
        tokens * 10 * (240 + 400),
        tokens * 10 * (240 + 800),
        tokens * 10 * 240,
    )
    assert small.layer_memory() == (tokens * (340 + 5 * 2 * 100), tokens * 320)
    flash = shape(**size, stores_attention=False)
    assert flash.layer_memory()[0] == tokens * 340


def test_tensor_parallelism_shares_everything() -> None:
    """Tests that twice the devices halve times and memory."""
    one, two = shape(), shape(tensor_parallel=2)
    assert two.layer_times()[0] * 2 == pytest.approx(one.layer_times()[0], abs=2)
    assert two.layer_memory()[0] * 2 == one.layer_memory()[0]
    assert two.static_memory()[1] * 2 == one.static_memory()[1]
    assert two.communication() * 2 == pytest.approx(one.communication(), abs=2)


def test_it_is_marked_and_can_be_solved() -> None:
    """Tests that the profile says that it is an estimate, and that a schedule comes of it."""
    document = estimated_profile(shape(), name="6.2B", memory_limit=Decimal(81920))
    assert document["name"] == "6.2B (estimate, not measured)"
    profile = parse_profile(document)
    assert profile.partition is not None
    assert sum(profile.partition) == 32
    assert solve(profile, effort="fast")["status"] in ("optimal", "feasible")


def test_default_efficiency_is_the_published_median() -> None:
    """Tests the three numbers against the published table, to two decimals."""
    found: dict[str, list[float]] = {"F": [], "B": [], "W": []}
    for row in table_rows():
        of_row = shape(
            **{key: row[key] for key in ("hidden", "heads", "sequence", "microbatch_size")},
            efficiency=(1.0, 1.0, 1.0),
        )
        layers = (row["layers"] + 2) // row["ranks"]
        for op, time in zip("FBW", of_row.layer_times(), strict=True):
            found[op].append(layers * time / 1e6 / row["time_ms"][op])
    middle = [sorted(found[op])[5:7] for op in "FBW"]
    for (low, high), used in zip(middle, PUBLISHED_EFFICIENCY, strict=True):
        assert low - 0.005 <= used <= high + 0.005
