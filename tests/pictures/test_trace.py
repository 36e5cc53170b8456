"""Tests of the trace."""

from __future__ import annotations

import json
from collections import defaultdict
from decimal import Decimal
from typing import Any, cast

import pytest

from nobubble.pictures.trace import trace
from nobubble.schedule.document import ScheduleDocument
from nobubble.units import TIME_UNITS
from tests.pictures.documents import linear_document, v_document
from tests.pictures.schedules import HOSTILE, SCHEDULES

REQUIRED = {
    "M": {"name", "args"},
    "X": {"name", "cat", "ts", "dur", "tid", "args"},
    "s": {"name", "cat", "ts", "tid", "id"},
    "f": {"name", "cat", "ts", "tid", "id", "bp"},
    "C": {"name", "ts", "args"},
}
"""What the Trace Event Format asks for."""


def events(document: ScheduleDocument) -> list[dict[str, Any]]:
    """Give the events of a schedule's trace, numbers exactly."""
    loaded = json.loads(trace(document), parse_float=Decimal)
    assert loaded["displayTimeUnit"] in {"ms", "ns"}
    listed: list[dict[str, Any]] = loaded["traceEvents"]
    return listed


def test_events_are_well_formed(document: ScheduleDocument) -> None:
    """Tests that every event has the fields of its sort, and times that are not negative."""
    for event in events(document):
        assert event["pid"] == 0
        assert REQUIRED[event["ph"]] <= event.keys()
        assert event.get("ts", 0) >= 0
        assert event.get("dur", 0) >= 0


def test_every_op_is_an_event(document: ScheduleDocument) -> None:
    """Tests that ops come with their rank, stage, microbatch and exact times in microseconds."""
    us = Decimal(TIME_UNITS[document["profile"]["time_unit"]]) / 1000
    ops: list[tuple[int, dict[str, Any]]] = [
        (rank["rank"], cast(dict[str, Any], a))
        for rank in document["ranks"]
        for a in rank["actions"]
    ]
    expected = [
        (
            rank,
            *(op[key] for key in ("op", "stage", "microbatch")),
            op["start"] * us,
            op["end"] * us,
        )
        for rank, op in ops
        if "start" in op
    ]
    found = [
        (e["tid"], e["cat"], *e["args"].values(), e["ts"], e["ts"] + e["dur"])
        for e in events(document)
        if e["ph"] == "X"
    ]
    assert found == expected


def test_every_rank_is_a_named_thread() -> None:
    """Tests the names of the threads."""
    names = {
        e["tid"]: e["args"]["name"] for e in events(v_document(3, 2)) if e["name"] == "thread_name"
    }
    assert names == {0: "rank 0", 1: "rank 1", 2: "rank 2"}


def test_every_transfer_is_a_flow(document: ScheduleDocument) -> None:
    """Tests that as many flows leave ranks as the document has sends, each arriving once, later."""
    flows: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for event in events(document):
        if event["ph"] in "sf":
            flows[event["id"]].append(event)
    sends = [a for rank in document["ranks"] for a in rank["actions"] if "SEND" in a["op"]]
    assert len(flows) == len(sends)
    for leaves, arrives in flows.values():
        assert (leaves["ph"], arrives["ph"]) == ("s", "f")
        assert leaves["tid"] != arrives["tid"]
        assert leaves["ts"] <= arrives["ts"]


def test_flows_are_inside_their_ops() -> None:
    """Tests that a viewer can tell which ops a flow links."""
    document = linear_document(4, 6)
    spans = defaultdict(list)
    for event in events(document):
        if event["ph"] == "X":
            spans[event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    for event in events(document):
        if event["ph"] in "sf":
            assert any(start <= event["ts"] < end for start, end in spans[event["tid"]])


@pytest.mark.parametrize("name", ["zb-h1", "v", "rank span"])
def test_memory_peaks_as_the_figures_say(name: str) -> None:
    """Tests that the highest counter of every rank is its peak memory."""
    document = SCHEDULES[name]()
    counters: dict[str, list[float]] = defaultdict(list)
    for event in events(document):
        if event["ph"] == "C":
            counters[event["name"]] += map(float, event["args"].values())
    peaks = [max(values) for _, values in sorted(counters.items())]
    expected = [float(rank["peak_memory"]) for rank in document["metrics"]["ranks"]]
    assert peaks == pytest.approx(expected, rel=1e-6)


def test_no_memory_no_counters() -> None:
    """Tests that a profile without memory figures has no counters."""
    assert all(event["ph"] != "C" for event in events(SCHEDULES["no time"]()))


def test_a_name_is_only_text() -> None:
    """Tests that a profile's name comes through as it is."""
    assert HOSTILE in {
        e["args"].get("name") for e in events(SCHEDULES["hostile name"]()) if e["ph"] == "M"
    }
