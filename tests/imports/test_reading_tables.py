"""Tests that what is no table of actions is told by row and column."""

from __future__ import annotations

from pathlib import Path

import pytest

from nobubble.errors import InputError, TableError
from nobubble.imports import read_table, table_of_text
from nobubble.verifier.channels import Step
from tests.imports.tables import dumped, fitting, imported

RIGHT = (
    "an action is stage, type and microbatch, such as 2F0; types are F, I (input gradient), W, "
    "B (I and W at once), SEND_F, RECV_F, SEND_B, RECV_B, REDUCE_GRAD, UNSHARD, RESHARD"
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty; a table has a row of actions for every rank"),
        (
            "0F0\n\n1F0\n",
            "row 2: has no actions; a table has a row for every rank, and PyTorch counts an empty "
            "one too",
        ),
        ("0F0,0X1\n", f'row 1, column 2: "0X1" is no action; {RIGHT}'),
        ("0F0\nrank 1\n", f'row 2, column 1: "rank 1" is no action; {RIGHT}'),
        ("0F-1\n", f'row 1, column 1: "0F-1" is no action; {RIGHT}'),
        ("0F0junk\n", f'row 1, column 1: "0F0junk" is no action; {RIGHT}'),
        ("0F1234567890\n", f'row 1, column 1: "0F1234567890" is no action; {RIGHT}'),
        ("0F\n", f'row 1, column 1: "0F" has no microbatch; {RIGHT}'),
        (
            "0F0;0F1\n",
            f'row 1, column 1: "0F0;0F1" is no action; {RIGHT}; cells are separated by commas',
        ),
        (
            "0F0,0REDUCE_GRAD3\n",
            'row 1, column 2: "0REDUCE_GRAD3" has a microbatch; REDUCE_GRAD is of a stage: '
            "0REDUCE_GRAD",
        ),
        (
            "0F0,,0SEND_F0\n",
            "row 1, column 2: is blank; only a table without SEND and RECV may have blank cells",
        ),
        (
            "(0F0;1B0)OVERLAP\n",
            f'row 1, column 1: "(0F0;1B0)OVERLAP" is no action; {RIGHT}; '
            "cells are separated by commas",
        ),
        (
            "(0F0;)OVERLAP_F_B\n",
            f'row 1, column 1: "" is no action; {RIGHT} in "(0F0;)OVERLAP_F_B"',
        ),
        (
            "(0F0;0SEND_F0)OVERLAP_F_B\n",
            'row 1, column 1: "0SEND_F0" cannot be a part of OVERLAP_F_B; its parts are F, I, W '
            'and B in "(0F0;0SEND_F0)OVERLAP_F_B"',
        ),
    ],
)
def test_malformed(text: str, message: str) -> None:
    """Tests each thing that a table cannot have, with its place."""
    with pytest.raises(TableError) as raised:
        table_of_text(text, "x.csv")
    assert str(raised.value) == f"x.csv: {message}"


def test_a_cell_beyond_any_size() -> None:
    """Tests that what is too large for a CSV reader is told without a traceback."""
    with pytest.raises(TableError, match=r"x\.csv: is not CSV: field larger"):
        table_of_text("0" * 200_000, "x.csv")


def test_many_faults() -> None:
    """Tests that twenty faults are told, and that there are more."""
    with pytest.raises(TableError) as raised:
        table_of_text("x," * 30 + "x")
    assert len(raised.value.faults) == 21
    assert raised.value.faults[-1].message == "and more faults"


def test_no_such_file(tmp_path: Path) -> None:
    """Tests that a wrong path is told as such."""
    with pytest.raises(TableError, match="no such file; give the path of a table, or - for stdin"):
        read_table(tmp_path / "x.csv")


def test_types_and_blanks() -> None:
    """Tests what PyTorch's types are here, and that blank cells and spaces are nothing."""
    table = table_of_text("\ufeff 0F0 ,,0I1,0W2,0B3\r\n".lstrip("\ufeff"))
    steps = [cell.step for cell in table.rows[0]]
    assert steps == [Step("F", 0, 0), Step("B", 0, 1), Step("W", 0, 2), Step("BW", 0, 3)]
    assert [cell.column for cell in table.rows[0]] == [1, 3, 4, 5]


def test_overlap() -> None:
    """Tests that the parts of OVERLAP_F_B run one after the other, and that this is said."""
    table = table_of_text("0UNSHARD,(0F3;3B1)OVERLAP_F_B,0RESHARD\n")
    assert [cell.step for cell in table.rows[0]] == [Step("F", 0, 3), Step("BW", 3, 1)]
    assert [note.split(" (")[0] for note in table.notes] == [
        "UNSHARD and RESHARD are left out",
        "the parts of OVERLAP_F_B run one after the other",
    ]


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (
            {"ranks": 4, "placement": [0, 1, 2, 3]},
            "x.csv: has 2 rows, one for every rank, and the profile has 4 ranks; give the profile "
            "that this table is of",
        ),
        (
            {"stages": {"F": {"time": 1}, "B": {"time": 1}, "W": {"time": 1}}, "chunks": 3},
            "x.csv: has stages 0 to 3, and the profile has 6 stages; give the profile that this "
            "table is of",
        ),
        (
            {"microbatches": 6},
            "x.csv: has microbatches 0 to 3, and the profile has 6; with --microbatches 4 the "
            "profile has as many",
        ),
        (
            {"placement": "v"},
            "x.csv: puts stage 2 on rank 0, and the profile on rank 1; with --placement 0,1,0,1 "
            "the profile is placed as the table is",
        ),
    ],
)
def test_of_another_profile(keys: dict[str, object], message: str) -> None:
    """Tests that a table of another pipeline is refused, with what each of the two has."""
    with pytest.raises(InputError) as raised:
        imported(dumped("interleaved.csv"), fitting("interleaved", **keys))
    assert str(raised.value) == message


def test_without_ops() -> None:
    """Tests a table in which nothing is computed."""
    with pytest.raises(InputError, match=r"x\.csv: has no F, I, W or B"):
        imported("0REDUCE_GRAD\n1REDUCE_GRAD\n", fitting("interleaved"))
