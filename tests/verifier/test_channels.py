"""Tests what each kind of communication finds, with every fault put in on purpose."""

from __future__ import annotations

from itertools import product
from typing import Any

from hypothesis import given

from nobubble.verifier.channels import KINDS, Channels, Kind
from tests.verifier.examples import (
    actions,
    document,
    find,
    interleaved,
    remove,
    ring,
    schedules,
    simple,
    swap,
)


def found(schedule: Any) -> dict[Kind, list[str]]:
    """Give what every kind of communication finds."""
    channels = Channels.of(schedule)
    return {kind: channels.findings(kind) for kind in KINDS}


@given(schedules())
def test_a_schedule_passes_every_kind(schedule: Any) -> None:
    """Tests that the transfers of our own schedules are right however ranks communicate."""
    assert found(schedule) == {"rendezvous": [], "directions": [], "buffered": []}


@given(schedules())
def test_late_receives(schedule: Any) -> None:
    """Tests that receives just before their ops pass where sends wait for nobody.

    Where no circle of waiting arises the order on each channel may still be another: the ops of
    two stages need not run in the order in which their inputs were sent.
    """
    for rank in schedule["ranks"]:
        received = {}
        row = []
        for action in rank["actions"]:
            if action["op"].startswith("RECV"):
                received[action["op"][-1], action["stage"], action["microbatch"]] = action
                continue
            op = {"F": "F", "B": "B", "BW": "B"}.get(action["op"])
            waiting = received.pop((op, action["stage"], action["microbatch"]), None)
            row += [action] if waiting is None else [waiting, action]
        rank["actions"] = row
    for kind in ("directions", "buffered"):
        assert not [text for text in found(schedule)[kind] if "for ever" in text]


def test_receives_crossed_in_one_direction() -> None:
    """Tests that receives in another order than their sends fail under every kind."""
    schedule = simple()
    actions(schedule, 1).insert(0, remove(schedule, 1, "RECV_F", 1, 1))
    one_way = [
        "rank 1 receives from rank 0 in another order than that sends: where rank 0 has "
        "SEND_F(0, 0), rank 1 has RECV_F(1, 1)"
    ]
    findings = found(schedule)
    assert findings["rendezvous"][0] == (
        "ranks 0 and 1 list their transfers in different orders: where rank 0 has SEND_F(0, 0), "
        "rank 1 has RECV_F(1, 1)"
    )
    assert findings["directions"] == one_way
    assert findings["buffered"] == one_way


def test_forward_and_backward_traffic_of_v_crossed() -> None:
    """Tests that a V's activations and gradients, which share a channel, may not change places."""
    schedule = document(
        "F0 F3 B3 F0 F3 B3 B0 B0 W0 W0 W3 W3", "F1 F2 F1 F2 B2 B1 B2 B1 W1 W1 W2 W2", placement="v"
    )
    assert found(schedule) == {"rendezvous": [], "directions": [], "buffered": []}
    row = actions(schedule, 1)
    activations = row.index(find(schedule, 1, "RECV_F", 1, 1))
    gradients = row.index(find(schedule, 1, "RECV_B", 2, 0))
    swap(schedule, 1, activations, gradients)
    findings = found(schedule)
    assert all(findings.values())
    for kind in ("directions", "buffered"):
        assert findings[kind][0] == (
            "rank 1 receives from rank 0 in another order than that sends: where rank 0 has "
            "SEND_B(3, 0), rank 1 has RECV_F(1, 1)"
        )


def test_both_ranks_send_first() -> None:
    """Tests that the deadlock of pytorch/pytorch#172668 needs sends that wait.

    [..., 0 SEND_F 1, 2 RECV_F 0] against [..., 1 SEND_F 0, 1 RECV_F 1]: with a channel for each
    direction, or with buffered sends, it runs.
    """
    schedule = interleaved()
    row = actions(schedule, 1)
    place = row.index(find(schedule, 1, "RECV_F", 1, 1))
    swap(schedule, 1, place, place + 1)
    findings = found(schedule)
    assert findings["rendezvous"] == [
        "ranks 0 and 1 list their transfers in different orders: where rank 0 has SEND_F(0, 1), "
        "rank 1 has SEND_F(1, 0)",
        "the ranks wait for each other for ever when sends wait for their receiver: "
        "rank 0 waits at SEND_F(0, 1) for rank 1, rank 1 waits at SEND_F(1, 0) for rank 0",
    ]
    assert findings["directions"] == []
    assert findings["buffered"] == []


def test_early_receive() -> None:
    """Tests that a receive before the op that feeds it blocks ranks that stop at receives."""
    schedule = ring()
    actions(schedule, 0).insert(0, remove(schedule, 0, "RECV_F", 3, 0))
    findings = found(schedule)
    assert len(findings["rendezvous"]) == 1
    assert findings["buffered"] == [
        "the ranks wait for each other for ever when receives wait for their sender: "
        "rank 0 waits at RECV_F(3, 0) for SEND_F(2, 0) of rank 2, "
        "rank 2 waits at RECV_F(2, 0) for SEND_F(1, 0) of rank 1, "
        "rank 1 waits at RECV_F(1, 0) for SEND_F(0, 0) of rank 0"
    ]
    assert findings["directions"] == []


def test_ops_in_a_circle() -> None:
    """Tests that ops that wait for each other fail under every kind."""
    schedule = ring()
    row = actions(schedule, 0)
    stage_0 = [find(schedule, 0, op, 0, 0) for op in ("F", "SEND_F")]
    stage_3 = [find(schedule, 0, op, 3, 0) for op in ("RECV_F", "F", "SEND_F")]
    row[:5] = [*stage_3, *stage_0]
    findings = found(schedule)
    assert all(findings.values())
    assert findings["directions"][-1] == (
        "the ranks wait for each other for ever even when no rank stops at a transfer: "
        "rank 0 waits at F(3, 0) for SEND_F(2, 0) of rank 2, "
        "rank 2 waits at F(2, 0) for SEND_F(1, 0) of rank 1, "
        "rank 1 waits at F(1, 0) for SEND_F(0, 0) of rank 0"
    )


def test_what_passes_rendezvous_passes_all() -> None:
    """Tests, with every receive of a schedule at every place, that rendezvous is the strictest."""
    outcomes = set()
    length = len(actions(interleaved(), 0))
    for at, to in product(range(length), repeat=2):
        schedule = interleaved()
        row = actions(schedule, 0)
        if row[at]["op"].startswith("RECV"):
            row.insert(to, row.pop(at))
            findings = found(schedule)
            outcomes.add(tuple(not findings[kind] for kind in KINDS))
    assert outcomes == {
        (True, True, True),
        (False, True, True),
        (False, True, False),
        (False, False, False),
    }
