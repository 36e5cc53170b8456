"""profiles/best_known.csv: complete, consistent, and still reached."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks.best_known import main
from benchmarks.instances import Instance, instances
from benchmarks.options import nanoseconds
from benchmarks.records import FILE, Record, read_records, write_records
from nobubble.bounds.best import best_bound
from nobubble.methods import METHODS
from nobubble.problem import Problem
from nobubble.solve import solve

INSTANCES = instances()
RECORDS = read_records()
QUICK = ("minimal", "measured-p8", "zero-bubble-1.5b-m24-2x", "c01", "c03", "c08")
"""Instances that normal effort proves optimal in a moment."""

BEFORE = Record(
    instance="c01",
    objective="makespan",
    cost_ns=120,
    bound_ns=100,
    bound="chain",
    proven="no",
    method="search",
    options="--effort max",
    version="0.1.0",
    normal_cost_ns=125,
    normal_bound_ns=99,
)


def test_all_instances_have_a_row() -> None:
    """Tests that rows and instances are the same, in the same order."""
    assert list(RECORDS) == [instance.key for instance in INSTANCES]


def test_is_as_it_would_be_written(tmp_path: Path) -> None:
    """Tests that reading and writing the file changes nothing."""
    write_records(RECORDS.values(), tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == FILE.read_bytes()


@pytest.mark.parametrize("record", RECORDS.values(), ids=lambda record: " ".join(record.key))
def test_row_is_consistent(record: Record) -> None:
    """Tests that no bound is above a cost, and that normal effort is no better than the best."""
    assert 0 < record.bound_ns <= record.cost_ns
    assert record.proven == ("yes" if record.bound_ns == record.cost_ns else "no")
    assert record.normal_cost_ns is not None
    assert record.normal_bound_ns is not None
    assert record.normal_bound_ns <= record.bound_ns
    assert record.cost_ns <= record.normal_cost_ns
    assert record.method in {*METHODS, "reference"}
    assert bool(record.options) == (record.method != "reference")


@pytest.mark.parametrize("instance", INSTANCES, ids=str)
def test_bound_and_reference_agree_with_the_row(instance: Instance) -> None:
    """Tests that the bound is as high as it was, that no cost is below, and no reference cheaper.

    What an exact solver proved may be higher than the closed forms.
    """
    record = RECORDS[instance.key]
    bound = best_bound(Problem.of(instance.profile)).value
    assert bound <= record.cost_ns
    if record.bound not in METHODS:
        assert bound >= record.bound_ns
    if instance.reference is not None:
        assert record.cost_ns <= instance.reference


@pytest.mark.parametrize(
    "instance", [instance for instance in INSTANCES if instance.name in QUICK], ids=str
)
def test_small_instances_are_solved_as_well_as_ever(instance: Instance) -> None:
    """Tests that cost and bound are those of the row, some of them found by the search."""
    document = solve(instance.profile)
    record = RECORDS[instance.key]
    assert nanoseconds(document) == record.normal_cost_ns
    assert nanoseconds(document, "lower_bound") == record.normal_bound_ns


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, []),
        ({"cost_ns": 126}, ["cost 126, was 125"]),
        ({"bound_ns": 98}, ["bound 98, was 99"]),
        ({"cost_ns": 99, "bound_ns": 99}, ["cost 99 below the bound on record, 100"]),
        ({"bound_ns": 121}, ["bound 121 above the cost on record, 120"]),
    ],
)
def test_losses_are_told(changes: dict[str, Any], expected: list[str]) -> None:
    """Tests that a run is compared with normal effort, and for contradictions with the best."""
    run = replace(BEFORE, cost_ns=125, bound_ns=100)
    assert BEFORE.losses(replace(run, **changes), is_full=True) == expected


def test_fast_effort_may_be_worse_than_normal() -> None:
    """Tests that with fast effort only contradictions count."""
    assert BEFORE.losses(replace(BEFORE, cost_ns=126, bound_ns=98), is_full=False) == []
    assert len(BEFORE.losses(replace(BEFORE, cost_ns=99), is_full=False)) == 1


def test_only_improvements_are_taken_over() -> None:
    """Tests cost, bound and what normal effort reaches, each by itself."""
    worse = replace(
        BEFORE,
        cost_ns=130,
        bound_ns=90,
        bound="busy",
        method="greedy",
        version="9",
        normal_cost_ns=130,
        normal_bound_ns=90,
    )
    assert BEFORE.improved_by(worse) == BEFORE
    higher = BEFORE.improved_by(replace(worse, bound_ns=120))
    assert (higher.bound_ns, higher.bound, higher.proven) == (120, "busy", "yes")
    assert (higher.cost_ns, higher.method) == (120, "search")
    lower = BEFORE.improved_by(replace(worse, cost_ns=110, normal_cost_ns=124))
    assert (lower.cost_ns, lower.method, lower.proven) == (110, "greedy", "no")
    assert (lower.normal_cost_ns, lower.normal_bound_ns) == (124, 99)


def test_rank_span_is_no_dearer_than_makespan() -> None:
    """Tests that what is known of one objective is known of the other."""
    for name in {instance.name for instance in INSTANCES}:
        makespan, rank_span = RECORDS[name, "makespan"], RECORDS[name, "rank_span"]
        assert rank_span.cost_ns <= makespan.cost_ns
        assert rank_span.bound_ns <= makespan.bound_ns


def test_command_compares_and_leaves_the_file_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """Tests the exit status and the table of instances that are proven at once."""
    before = FILE.read_bytes()
    assert main(["--only", "c01"]) == 0
    assert FILE.read_bytes() == before
    assert "2 of 2 proven optimal" in capsys.readouterr().out


def test_command_fails_when_something_is_worse(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Tests that a cost above the one on record is told, and ends with 1."""
    record = RECORDS["c01", "makespan"]
    better = replace(record, normal_cost_ns=record.cost_ns - 1)
    monkeypatch.setattr("benchmarks.best_known.read_records", lambda: {better.key: better})
    assert main(["--only", "c01 makespan"]) == 1
    told = f"worse: c01 makespan: cost {record.cost_ns}, was {record.cost_ns - 1}"
    assert told in capsys.readouterr().out
