"""Tests that no table, however wrong, is more than bad input or a finding."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from nobubble.errors import NobubbleError
from nobubble.verifier.channels import KINDS
from nobubble.verifier.verify import verify
from tests.imports.tables import FOLDER, dumped, fitting, imported

NAMES = sorted(path.name for path in FOLDER.glob("*.csv"))
CELLS = ("", "0F0", "1I1", "3W2", "2B3", "9F9", "0F77", "1RECV_F1", "2SEND_B0", "0REDUCE_GRAD",
         "3UNSHARD", "(0F1;3B0)OVERLAP_F_B", "nonsense")  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, str]:
    """Give the name of a table, and it after a few changes to its cells."""
    name = draw(st.sampled_from(NAMES))
    rows = [line.split(",") for line in dumped(name).splitlines()]
    for _ in range(draw(st.integers(0, 3))):
        row = rows[draw(st.integers(0, len(rows) - 1))]
        at = draw(st.integers(0, max(0, len(row) - 1)))
        match draw(st.sampled_from(("drop", "move", "twice", "replace"))):
            case "drop":
                del row[at : at + 1]
            case "move" if row:
                row.insert(draw(st.integers(0, len(row) - 1)), row.pop(at))
            case "twice":
                row.insert(draw(st.integers(0, len(row))), row[at] if row else "0F0")
            case _ if row:
                row[at] = draw(st.sampled_from(CELLS))
    return name, "".join(",".join(row) + "\n" for row in rows)


@given(mutated())
def test_a_table_is_a_schedule_or_is_told_why_not(case: tuple[str, str]) -> None:
    """Tests that what is imported is verified, and what is not has a message of nobubble's."""
    name, text = case
    try:
        result = imported(text, fitting(name))
    except NobubbleError as error:
        assert str(error)
    else:
        assert verify(result.document) == []
        assert result.communication in (None, {kind: [] for kind in KINDS})
