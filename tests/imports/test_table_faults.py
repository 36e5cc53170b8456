"""Tests that a table which would hang, fail or silently go wrong is found out."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nobubble.errors import VerificationError
from nobubble.imports import import_schedule, table_of_text
from tests.imports.tables import (
    Rows,
    changed,
    drop,
    dumped,
    fitting,
    imported,
    move,
    replace,
    swap,
)

IZB = "interleaved-zero-bubble.csv"
COMMS = "interleaved-zero-bubble.comms.csv"


def on_two_ranks(rows: Rows) -> None:
    rows[1].insert(0, "0F3")
    rows[0].remove("0F3")


def crossed_forwards(rows: Rows) -> None:
    """Let each rank run first what needs the other."""
    rows[0][:] = ["2F0", "0F0", *(c for c in rows[0] if c not in ("2F0", "0F0"))]


FAULTS: list[tuple[str, Callable[[Rows], object], str]] = [
    (IZB, on_two_ranks, "stage 0 is on rank 0 (row 1, column 1: 0F0) and on rank 1 (row 2, "
     "column 1: 0F3); a stage has one rank"),
    (IZB, drop(0, "0F2"), "rank 0: stage 0 has no F for microbatch 2"),
    (IZB, drop(0, "0W2"), "rank 0: stage 0 has I but no W for microbatch 2"),
    (IZB, drop(0, "0I2"), "rank 0: stage 0 has W but no I for microbatch 2"),
    (IZB, replace(0, "0W2", "0B2"), "rank 0: stage 0 has I but no W for microbatch 2"),
    (IZB, replace(0, "0F2", "0F1"), "row 1, column 8: 0F1 is there already in row 1, column 2"),
    (IZB, swap(1, "1I0", "1F0"), "row 2, column 2: 1I0 comes before 1F0, which it needs"),
    (IZB, swap(1, "1W0", "1I0"), "row 2, column 10: 1W0 comes before 1I0, which it needs"),
    (IZB, swap(1, "3F1", "3F2"), "row 2, column 6: 3F2 comes where the last stage's 3F1 is due; "
     "PyTorch gives losses and outputs by place, so those of other microbatches, without a word"),
    (IZB, crossed_forwards, "the ranks wait for each other for ever even when no rank stops at a "
     "transfer: rank 0 waits at F(2, 0) for SEND_F(1, 0) of rank 1, rank 1 waits at F(1, 0) for "
     "SEND_F(0, 0) of rank 0"),
    ("zbv.csv", swap(1, "1I0", "2I0"), "row 2, column 6: 1I0 comes before 2I0, which it needs"),
    ("zbv.csv", swap(1, "1F0", "2F0"), "row 2, column 2: 2F0 comes before 1F0, which it needs"),
    (COMMS, drop(0, "0SEND_F1"), "rank 0: SEND_F of stage 0 to rank 1 is missing for microbatch 1; "
     "a rank would wait for it until PyTorch gives up"),
    (COMMS, drop(0, "0RECV_B3"), "rank 0: RECV_B of stage 0 from rank 1 is missing for microbatch "
     "3; a rank would wait for it until PyTorch gives up"),
    (COMMS, replace(0, "0SEND_F1", "0SEND_F0"), "row 1, column 7: 0SEND_F0 is there already in "
     "row 1, column 4"),
    (COMMS, replace(0, "0UNSHARD", "0SEND_B1"), "row 1, column 1: 0SEND_B1: nothing is transferred "
     "there, to or from another rank"),
    (COMMS, replace(0, "0UNSHARD", "1SEND_F1"), "row 1, column 1: 1SEND_F1: stage 1 is on rank 1"),
    (COMMS, replace(0, "0UNSHARD", "7SEND_F1"), "row 1, column 1: 7SEND_F1: stages are 0 to 3, "
     "microbatches 0 to 3"),
    (COMMS, swap(0, "0F1", "0SEND_F1"), "row 1, column 6: 0SEND_F1 comes before the op whose "
     "output it sends"),
    (COMMS, swap(1, "1RECV_F0", "1F0"), "row 2, column 4: 1RECV_F0 comes after the op that needs "
     "what it receives"),
    (COMMS, move(0, "0SEND_F0", "0REDUCE_GRAD"), "row 1, column 52: 0SEND_F0 comes after the "
     "backward, which frees what it sends"),
    (COMMS, drop(0, "0REDUCE_GRAD"), "REDUCE_GRAD is missing for stage 0: PyTorch would leave the "
     "gradients unscaled, without a word"),
    (COMMS, replace(0, "0RESHARD", "0REDUCE_GRAD"), "row 1, column 54: 0REDUCE_GRAD is there more "
     "than once; it would scale the gradients again"),
    (COMMS, swap(0, "0REDUCE_GRAD", "0W3"), "row 1, column 52: 0REDUCE_GRAD comes before row 1, "
     "column 53: 0W3, which adds to the gradients: what it adds would be neither scaled nor "
     "reduced, without a word"),
    (COMMS, replace(0, "0RESHARD", "3REDUCE_GRAD"), "row 1, column 54: 3REDUCE_GRAD: stage 3 is "
     "not on rank 0"),
    (COMMS, swap(0, "2RECV_F0", "2RECV_F1"), "under directions and buffered: rank 0 receives from "
     "rank 1 in another order than that sends: where rank 1 has SEND_F(1, 0), rank 0 has "
     "RECV_F(2, 1)"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "finding"), FAULTS)
def test_a_fault_put_in_on_purpose(
    name: str, change: Callable[[Rows], object], finding: str
) -> None:
    """Tests that it is found, and where."""
    profile = fitting(name)
    imported(dumped(name), profile)
    with pytest.raises(VerificationError) as raised:
        imported(changed(name, change), profile)
    assert finding in raised.value.findings


def test_no_reduce_grad_at_all() -> None:
    """Tests that transfers without REDUCE_GRAD are found: gradients would stay unscaled."""

    def change(rows: Rows) -> None:
        for row in rows:
            row[:] = [cell for cell in row if "REDUCE_GRAD" not in cell]

    with pytest.raises(VerificationError, match="REDUCE_GRAD is missing for stage 0, 1, 2 and 3"):
        imported(changed(COMMS, change), fitting(COMMS))


def test_both_ranks_send_first() -> None:
    """Tests the deadlock reported as pytorch/pytorch#172668, and under what it does not arise.

    There one rank had [..., 0 SEND_F 1, 2 RECV_F 0] and the other [..., 1 SEND_F 0, 1 RECV_F 1].
    """
    with pytest.raises(VerificationError) as raised:
        imported(changed(COMMS, move(0, "2RECV_F0", before="2RECV_F1")), fitting(COMMS))
    assert raised.value.findings == (
        "under rendezvous (directions and buffered: right): ranks 0 and 1 list their transfers in "
        "different orders: where rank 0 has SEND_F(0, 1), rank 1 has SEND_F(1, 0)",
        "under rendezvous (directions and buffered: right): the ranks wait for each other for ever "
        "when sends wait for their receiver: rank 0 waits at SEND_F(0, 1) for rank 1, rank 1 waits "
        "at SEND_F(1, 0) for rank 0",
    )


def test_over_the_memory_limit() -> None:
    """Tests that a table which would run out of memory is found, with rank and op."""
    with pytest.raises(VerificationError, match=r"rank 0: F\(0, 1\) at 10 ms brings memory to"):
        imported(dumped(IZB), fitting(IZB, memory_limit=6))


def test_without_the_memory_limit() -> None:
    """Tests that memory limits can be left out."""
    table = table_of_text(dumped(IZB))
    document = import_schedule(
        table, fitting(IZB, memory_limit=6), ignore_memory_limit=True
    ).document
    assert document["generator"]["options"] == {"method": "imported", "ignore_memory_limit": True}
