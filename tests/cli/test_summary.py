"""Tests of the figures that solve prints."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, cast

import pytest

from nobubble.schedule.document import ScheduleDocument
from nobubble_cli.summary import summary


def document(**changes: Any) -> ScheduleDocument:
    """Give a document with what the summary reads."""
    return cast(
        ScheduleDocument,
        {
            "profile": {"time_unit": "ms", "memory_unit": "GiB"},
            "method": "greedy",
            "status": "feasible",
            "stopped_by": "completed",
            "objective": "makespan",
            "requires": [],
            "cost": Decimal("109.851"),
            "lower_bound": 100,
            "bound": "two-ended",
            "gap": 0.0896760,
            "metrics": {
                "makespan": Decimal("109.851"),
                "rank_span": Decimal("99.5"),
                "bubble_rate": 0.1003,
                "idle_rate": 0.125,
                "ranks": [
                    {"rank": 0, "peak_memory": Decimal("17.5"), "memory_limit": 20},
                    {"rank": 1, "peak_memory": Decimal("18.25"), "memory_limit": 40},
                ],
            },
            **changes,
        },
    )


def test_a_summary() -> None:
    """Tests every line of it."""
    assert summary(document(), written_to="out.json") == [
        "method       greedy",
        "cost         109.851 ms (makespan)",
        "lower bound  100 ms (two-ended)",
        "gap          8.97 %",
        "makespan     109.851 ms",
        "rank span    99.5 ms",
        "bubble       10.03 %",
        "idle         12.50 %",
        "peak memory  18.25 GiB on rank 1, limit 40 GiB",
        "status       feasible (all that the method tries was tried)",
        "written to   out.json",
    ]


def test_what_a_rank_span_schedule_requires() -> None:
    """Tests that nobody runs one under a synchronising optimizer unawares."""
    text = "\n".join(
        summary(document(objective="rank_span", requires=["post_validation"]), written_to="x")
    )
    assert "requires     post-validation: every rank begins its next iteration as soon as" in text
    assert "under an optimizer that waits for all ranks" in text
    assert "takes the makespan, 109.851 ms" in text


@pytest.mark.parametrize(
    ("gap", "text"), [(0.0, "0.00 %"), (0.000049, "< 0.01 %"), (0.00005, "0.01 %"), (1, "100.00 %")]
)
def test_only_a_gap_of_nothing_reads_as_zero(gap: float, text: str) -> None:
    """Tests that a schedule that is nearly optimal does not look optimal."""
    assert f"gap          {text}" in summary(document(gap=gap), written_to="x")


def test_no_memory_limit() -> None:
    """Tests that no limit is said in words."""
    changed = document()
    changed["metrics"]["ranks"][1]["memory_limit"] = None
    assert "peak memory  18.25 GiB on rank 1, no limit" in summary(changed, written_to="x")


@pytest.mark.parametrize(
    ("stopped_by", "words"),
    [("proof", "the cost meets the bound"), ("time_limit", "cut short by the time limit")],
)
def test_what_ended_the_search(stopped_by: str, words: str) -> None:
    """Tests that a run that was cut short says so."""
    changed = document(stopped_by=stopped_by)
    assert f"status       feasible ({words})" in summary(changed, written_to="x")
