"""Tests that what import says of a table's transfers is so in PyTorch, over gloo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nobubble.errors import VerificationError
from nobubble.exports import export
from nobubble.imports import import_schedule, table_of_text
from nobubble.profile.reading import parse_profile
from tests.runtime.ranks import Ranks
from tests.runtime.schedules import schedule
from tests.runtime.test_gradients import assert_same, train_from_csv

Row = list[str]


def receives_first(row: Row) -> Row:
    """Post all receives before anything else, in their order."""
    return sorted(row, key=lambda cell: "RECV" not in cell)


def receives_last(row: Row) -> Row:
    """Post each receive just before the op that needs it."""
    there = {cell for cell in row if "RECV" in cell}
    changed = []
    for cell in row:
        for way, op in (("F", "F"), ("B", "I"), ("B", "B")):
            receive = cell.replace(op, f"RECV_{way}")
            if "SEND" not in cell and op in cell and receive in there:
                changed.append(receive)
                there.remove(receive)
        if "RECV" not in cell:
            changed.append(cell)
    return changed


def changed(document: dict[str, Any], change: Callable[[Row], Row]) -> str:
    """Give a schedule's table with the transfers of every rank changed."""
    text = export(document, "torch-csv-comms")  # type: ignore[arg-type]
    rows = [change(line.split(",")) for line in text.splitlines()]
    return "".join(",".join(row) + "\n" for row in rows)


def kinds_found(document: dict[str, Any], text: str) -> set[str]:
    """Give the kinds of communication under which import finds something."""
    try:
        import_schedule(table_of_text(text), parse_profile(document["profile"]))
    except VerificationError as error:
        assert all(finding.startswith("under ") for finding in error.findings), error
        named = " ".join(finding.split(": ")[0].split(" (")[0] for finding in error.findings)
        return {kind for kind in ("rendezvous", "directions", "buffered") if kind in named}
    return set()


@pytest.mark.parametrize(
    ("name", "change", "kinds"),
    [
        ("interleaved", receives_first, {"rendezvous", "buffered"}),
        ("v", receives_first, {"rendezvous", "buffered"}),
        ("linear", receives_last, {"rendezvous"}),
    ],
)
def test_what_is_right_for_each_direction_runs_over_gloo(
    name: str, change: Callable[[Row], Row], kinds: set[str], ranks: Ranks, tmp_path: Path
) -> None:
    """Tests that gradients and losses are right where only the other kinds would fail."""
    document = schedule(name)
    text = changed(document, change)
    assert kinds_found(document, text) == kinds
    file = tmp_path / "schedule.csv"
    file.write_text(text)
    assert_same(ranks.run(train_from_csv, document, file, "compute_comms"), document, "mean")


def test_a_crossing_goes_wrong_without_a_word(ranks: Ranks, tmp_path: Path) -> None:
    """Tests that a table whose receives cross runs through, and computes something else."""
    document = schedule("linear")
    rows = changed(document, receives_first).splitlines()
    rows[1] = rows[1].replace("1RECV_F0,1RECV_F1", "1RECV_F1,1RECV_F0")
    text = "\n".join([*rows, ""])
    assert kinds_found(document, text) == {"rendezvous", "directions", "buffered"}
    file = tmp_path / "schedule.csv"
    file.write_text(text)
    answers = ranks.run(train_from_csv, document, file, "compute_comms")
    with pytest.raises(AssertionError):
        assert_same(answers, document, "mean")
