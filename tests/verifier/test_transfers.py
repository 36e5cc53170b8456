"""Tests that sends and receives that would hang, or silently go wrong, are found."""

from __future__ import annotations

import pytest

from nobubble.verifier.verify import verify
from tests.verifier.examples import (
    actions,
    document,
    find,
    interleaved,
    remove,
    ring,
    simple,
    swap,
)


def test_missing_transfers() -> None:
    """Tests that a SEND or a RECV that is not there is found, a stage's together."""
    schedule = simple()
    remove(schedule, 0, "SEND_F", 0, 1)
    remove(schedule, 0, "RECV_B", 0, 0)
    remove(schedule, 0, "RECV_B", 0, 1)
    assert verify(schedule) == [
        "rank 0: SEND_F of stage 0 to rank 1 is missing for microbatch 1",
        "rank 0: RECV_B of stage 0 from rank 1 is missing for microbatch 0 and 1",
    ]


def test_duplicate_transfer() -> None:
    """Tests that a transfer that is there twice is found."""
    schedule = simple()
    actions(schedule, 1).insert(0, find(schedule, 1, "RECV_F", 1, 0))
    assert verify(schedule) == ["rank 1: RECV_F(1, 0) is there more than once"]


def test_transfers_that_are_not_needed() -> None:
    """Tests that transfers at the ends of the model, and inside a rank, are found."""
    schedule = document("F0 F3 B3 B0 W3 W0", "F1 F2 B2 B1 W2 W1", placement="v", microbatches=1)
    assert verify(schedule) == []
    for rank, op, stage in ((0, "RECV_F", 0), (0, "SEND_F", 3), (1, "SEND_F", 1), (1, "SEND_B", 2)):
        action = {"op": op, "stage": stage, "microbatch": 0, "peer": 1 - rank}
        actions(schedule, rank).append(action)
    assert verify(schedule) == [
        "rank 0: RECV_F(0, 0) is not needed: stage 0 is the first",
        "rank 0: SEND_F(3, 0) is not needed: stage 3 is the last",
        "rank 1: SEND_F(1, 0) is not needed: stage 2 is on the same rank",
        "rank 1: SEND_B(2, 0) is not needed: stage 1 is on the same rank",
    ]


@pytest.mark.parametrize(
    ("change", "findings"),
    [
        ({"peer": 0}, ["rank 0: SEND_F(0, 1) has the peer 0; it is rank 1"]),
        (
            {"stage": 1},
            [
                "rank 0: SEND_F(1, 1): stage 1 is on rank 1",
                "rank 0: SEND_F of stage 0 to rank 1 is missing for microbatch 1",
            ],
        ),
        (
            {"stage": 2},
            [
                "rank 0: SEND_F(2, 1): there is no stage 2; stages are 0 to 1",
                "rank 0: SEND_F of stage 0 to rank 1 is missing for microbatch 1",
            ],
        ),
        (
            {"microbatch": 5},
            [
                "rank 0: SEND_F(0, 5): there is no microbatch 5; microbatches are 0 to 1",
                "rank 0: SEND_F of stage 0 to rank 1 is missing for microbatch 1",
            ],
        ),
    ],
)
def test_transfer_with_a_wrong_number(change: dict[str, int], findings: list[str]) -> None:
    """Tests that a wrong peer, stage or microbatch of a transfer is found."""
    schedule = simple()
    find(schedule, 0, "SEND_F", 0, 1).update(change)
    assert verify(schedule) == findings


def test_send_away_from_its_op() -> None:
    """Tests that an output is sent after its op and before the next op."""
    late = simple()
    swap(late, 1, 4, 5)
    assert verify(late) == [
        "rank 1: SEND_B(1, 0) does not come directly after the backward of stage 1, microbatch 0"
    ]
    early = simple()
    swap(early, 0, 0, 1)
    assert verify(early) == [
        "rank 0: SEND_F(0, 0) does not come directly after F of stage 0, microbatch 0"
    ]


def test_receive_after_its_op() -> None:
    """Tests that an input is received before the op that needs it."""
    schedule = simple()
    swap(schedule, 1, 0, 1)
    swap(schedule, 0, 7, 8)
    assert verify(schedule) == [
        "rank 0: B(0, 1) at 51 ms comes before RECV_B(0, 1), which it needs",
        "rank 1: F(1, 0) at 10.5 ms comes before RECV_F(1, 0), which it needs",
    ]


def test_receives_in_another_order_than_sends() -> None:
    """Tests that a rank that receives in another order than its peer sends is found.

    Transfers carry no tags, so PyTorch would take one microbatch for the other.
    """
    schedule = simple()
    actions(schedule, 1).insert(0, remove(schedule, 1, "RECV_F", 1, 1))
    assert verify(schedule) == [
        "ranks 0 and 1 list their transfers in different orders: where rank 0 has SEND_F(0, 0), "
        "rank 1 has RECV_F(1, 1)",
        "the ranks wait for each other for ever when sends wait for their receiver: "
        "rank 0 waits at SEND_F(0, 0) for rank 1, rank 1 waits at RECV_F(1, 1) for rank 0",
    ]


def test_deadlock_of_a_hand_made_reorder() -> None:
    """Tests the deadlock reported as pytorch/pytorch#172668.

    There one rank had [..., 0 SEND_F 1, 2 RECV_F 0] and the other [..., 1 SEND_F 0, 1 RECV_F 1]:
    both send first, and sends that wait for their receiver wait for ever.
    """
    schedule = interleaved()
    assert verify(schedule) == []
    here, there = actions(schedule, 0), actions(schedule, 1)
    assert here[here.index(find(schedule, 0, "SEND_F", 0, 1)) + 1]["op"] == "RECV_F"
    place = there.index(find(schedule, 1, "RECV_F", 1, 1))
    assert there[place + 1] == find(schedule, 1, "SEND_F", 1, 0)
    swap(schedule, 1, place, place + 1)
    assert verify(schedule) == [
        "ranks 0 and 1 list their transfers in different orders: where rank 0 has SEND_F(0, 1), "
        "rank 1 has SEND_F(1, 0)",
        "the ranks wait for each other for ever when sends wait for their receiver: "
        "rank 0 waits at SEND_F(0, 1) for rank 1, rank 1 waits at SEND_F(1, 0) for rank 0",
    ]


CIRCLE_OF_THREE = (
    "the ranks wait for each other for ever when sends wait for their receiver: "
    "rank 0 waits at RECV_F(3, 0) for rank 2, rank 2 waits at RECV_F(2, 0) for rank 1, "
    "rank 1 waits at RECV_F(1, 0) for rank 0"
)


def test_early_receive() -> None:
    """Tests that a circle is found although every pair of ranks agrees on its order."""
    schedule = ring()
    assert verify(schedule) == []
    actions(schedule, 0).insert(0, remove(schedule, 0, "RECV_F", 3, 0))
    assert verify(schedule) == [CIRCLE_OF_THREE]


def test_ops_of_zero_time_in_a_circle() -> None:
    """Tests that ops that wait for each other are found where no start or end can tell."""
    schedule = ring()
    row = actions(schedule, 0)
    stage_0 = [find(schedule, 0, op, 0, 0) for op in ("F", "SEND_F")]
    stage_3 = [find(schedule, 0, op, 3, 0) for op in ("RECV_F", "F", "SEND_F")]
    row[:5] = [*stage_3, *stage_0]
    assert verify(schedule) == [
        "ranks 0 and 1 list their transfers in different orders: where rank 0 has SEND_F(3, 0), "
        "rank 1 has RECV_F(1, 0)",
        CIRCLE_OF_THREE,
    ]
