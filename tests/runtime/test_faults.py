"""Tests that a schedule which would hang or silently go wrong is found, with a message."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest

from nobubble_torch.checks import check_schedule
from nobubble_torch.document import parse
from nobubble_torch.errors import ScheduleError
from tests.runtime.faults import (
    Document,
    backward_before_forward,
    both_backwards,
    circle_of_waiting,
    defer_receives,
    drop,
    late_receive,
    more_microbatches,
    other_placement,
    receive_too_early,
    run_twice,
    send_before_forward,
    swap_last_forwards,
    swap_receives,
    weights_before_inputs,
    wrong_peer,
)
from tests.runtime.schedules import schedule

FAULTS: list[tuple[str, Callable[[Document], None], str]] = [
    ("v", swap_last_forwards, "PyTorch would take the losses of other microbatches"),
    ("linear", swap_receives, "ranks 0 and 1 list their transfers in different orders"),
    ("v", swap_receives, "list their transfers in different orders"),
    ("v", defer_receives, "list their transfers in different orders"),
    (
        "interleaved",
        receive_too_early,
        "the ranks would wait for each other for ever: rank 0 waits",
    ),
    ("linear", run_twice, "F(2, 0) is there 2 times"),
    ("linear", drop("SEND_F", 0), "SEND_F(0, 7) with rank 1 is missing"),
    ("linear", drop("RECV_B", 1), "RECV_B(1, 7) with rank 2 is missing"),
    ("linear", drop("W", 1), "rank 1: the backward of (1, 7) is missing"),
    ("linear", drop("F", 3), "rank 3: F(3, 7) is missing"),
    ("linear", both_backwards, "the backward would run twice"),
    ("linear", wrong_peer, "SEND_F(1, 0) with rank 3 has nothing to transfer there"),
    ("linear", other_placement, "stage 1 is on rank 2"),
    ("linear", backward_before_forward, "B(1, 0) comes before F(1, 0), which it needs"),
    ("linear", weights_before_inputs, "W(1, 0) comes before B(1, 0), which it needs"),
    ("linear", send_before_forward, "SEND_F(0, 0) comes before F(0, 0), which it needs"),
    ("linear", late_receive, "F(2, 0) comes before RECV_F(2, 0), which it needs"),
    ("linear", more_microbatches, "F(0, 8) is missing"),
    ("linear", circle_of_waiting, "ranks 0 and 1 list their transfers in different orders"),
]


@pytest.mark.parametrize(
    ("name", "change", "message"), FAULTS, ids=lambda it: getattr(it, "__name__", None)
)
def test_a_faulty_schedule_is_refused(
    name: str, change: Callable[[Document], None], message: str
) -> None:
    """Tests each fault of a document, put in on purpose."""
    document = copy.deepcopy(schedule(name))
    check_schedule(parse(document, "good"))
    change(document)
    with pytest.raises(ScheduleError) as raised:
        check_schedule(parse(document, "x.json"))
    assert message in str(raised.value)
    assert str(raised.value).startswith("x.json: ")
