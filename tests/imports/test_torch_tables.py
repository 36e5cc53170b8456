"""Tests of the tables that PyTorch 2.13 dumps of its own schedules."""

from __future__ import annotations

import pytest

from nobubble.errors import VerificationError
from nobubble.verifier.verify import verify
from tests.imports.tables import FOLDER, dumped, fitting, imported

NAMES = sorted(path.name for path in FOLDER.glob("*.csv") if "deferred" not in path.name)
COSTS = {"bfs": 226, "interleaved": 228, "interleaved-zero-bubble": 218, "zbv": 212,
         "dualpipev": 217}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_table_of_pytorchs(name: str) -> None:
    """Tests that it is read with and without transfers, verified, and costs the same in both."""
    result = imported(dumped(name), fitting(name))
    assert verify(result.document) == []
    assert result.document["method"] == "imported"
    assert result.document["cost"] == COSTS[name.split(".")[0]]
    if ".comms." in name:
        assert result.communication == {"rendezvous": [], "directions": [], "buffered": []}
    else:
        assert result.communication is None


def test_the_bound_is_of_what_runs() -> None:
    """Tests that a table which does not split backward is held against such schedules."""
    profile = fitting("interleaved")
    result = imported(dumped("interleaved.csv"), profile)
    assert result.document["lower_bound"] <= result.document["cost"]
    assert any(note.startswith("B (backward at once) runs on stages 0, 1, 2, 3")
               for note in result.notes)  # fmt: skip


def test_deferred_receives() -> None:
    """Tests that V with ``defer_pp_recv=True`` is found to take one microbatch for another."""
    name = "zbv-deferred.comms.csv"
    with pytest.raises(VerificationError) as raised:
        imported(dumped(name), fitting(name))
    assert raised.value.findings[-1] == (
        "under directions and buffered: rank 1 receives from rank 0 in another order than that "
        "sends: where rank 0 has SEND_F(0, 2), rank 1 has RECV_B(2, 0)"
    )


def test_numbering_by_place() -> None:
    """Tests that backwards in descending order are numbered anew, and that this is said."""
    result = imported(dumped("bfs.csv"), fitting("bfs"))
    assert result.notes[0] == (
        "row 1, column 12: 2B2 comes after 2B3: the microbatches of stages 0, 1, 2, 3 are numbered "
        "by their place, and no op starts later for it; as it stands the table may wait longer"
    )
