"""Tests that a run is one of its schedule, and that each thing wrong has a message."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nobubble.errors import RunError
from nobubble.runs.document import SCHEMA
from nobubble.runs.reading import actions_sha256, parse_run, planned_step, read_run
from nobubble.schedule.document import ScheduleDocument
from tests.runs.test_difference import small


@pytest.fixture(scope="module")
def document() -> ScheduleDocument:
    """Give a schedule."""
    return small()


def run_of(document: ScheduleDocument, **keys: Any) -> dict[str, Any]:
    """Give a run in which all went as planned, in two steps, the second with one late end."""
    ranks: list[dict[str, Any]] = [
        {
            "rank": rank["rank"],
            "start": 0,
            "end": 200,
            "actions": [copy.copy(action) for action in rank["actions"]],
        }
        for rank in document["ranks"]
    ]
    for rank in ranks:
        for action in rank["actions"]:
            action.setdefault("start", 0)
        rank["actions"].append(
            {"op": "REDUCE_GRAD", "stage": rank["rank"], "start": 190, "end": 195}
        )
        rank["actions"].append({"op": "DANCE", "stage": 0, "start": 0})
    later = copy.deepcopy(ranks)
    last = [action for action in later[0]["actions"] if "microbatch" in action and "end" in action]
    last[-1]["end"] += 7
    return {
        "schema": SCHEMA,
        "generator": {"name": "test", "version": "1"},
        "schedule": {"actions_sha256": actions_sha256(document), "profile_sha256": None},
        "time_unit": "ns",
        "microbatches": 4,
        "placement": [0, 1, 2],
        "clock": {"shared": False, "uncertainty": 3},
        "steps": [
            {"step": 2, "start": 0, "ranks": ranks},
            {"step": 5, "start": 300, "ranks": later},
        ],
        **keys,
    }


def test_a_run_is_read(document: ScheduleDocument, tmp_path: Path) -> None:
    """Tests that ops are found in order, and that actions it does not know are passed over."""
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run_of(document)))
    run = read_run(path, document)
    assert [step.number for step in run.steps] == [2, 5]
    assert run.uncertainty == 3
    assert run.steps[0].ranks == planned_step(document).ranks
    assert run.median_step().number == 2
    assert run.step(5).ranks[0][-1].time == run.step(2).ranks[0][-1].time + 7
    with pytest.raises(RunError, match="has no step 3; the recorded ones are 2, 5"):
        run.step(3)


def drop_op(run: dict[str, Any]) -> None:
    """Leave out an op."""
    actions = run["steps"][1]["ranks"][2]["actions"]
    actions.remove(next(action for action in actions if action["op"] == "W"))


def set_at(*path: Any, value: Any) -> Callable[[dict[str, Any]], None]:
    """Give a change that sets a value."""

    def change(run: dict[str, Any]) -> None:
        place: Any = run
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return change


ACTION = ("steps", 0, "ranks", 0, "actions", 0)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_at("schema", value="nobubble.schedule/1"), "is not the schema of a run"),
        (set_at("time_unit", value="h"), '/time_unit: "h" is no unit of time'),
        (set_at("schedule", value=None), "/schedule: is missing; it should be an object"),
        (set_at("schedule", "actions_sha256", value="ab"), "another schedule ran"),
        (
            set_at("clock", "uncertainty", value="x"),
            '/clock/uncertainty: is "x"; it should be a time',
        ),
        (set_at("steps", value=[]), "/steps: is empty; record at least one step"),
        (set_at("steps", value={}), "/steps: is an object; it should be a list"),
        (set_at("steps", 0, "step", value="1"), '/steps/0/step: is "1"; it should be the step'),
        (set_at("steps", 0, "ranks", value=[]), "/steps/0/ranks: has 0 ranks; the schedule has 3"),
        (drop_op, r"/steps/1/ranks/2/actions/\d+: is .*; the schedule has W\(2, 0\) there"),
        (set_at(*ACTION, "start", value=None), "/actions/0/start: is missing; it should be a time"),
        (set_at(*ACTION, "end", value=-5), r"F\(0, 0\) ends before it starts"),
        (set_at(*ACTION, "end", value=10**6), "starts before the op before it ends"),
        (set_at(*ACTION, value=7), "/actions/0: is 7; it should be an object"),
        (set_at("steps", 0, "ranks", 1, "actions", value=[]), "lacks F"),
    ],
)
def test_what_is_wrong_is_told(
    change: Callable[[dict[str, Any]], None], message: str, document: ScheduleDocument
) -> None:
    """Tests one malformed run for every message."""
    run = run_of(document)
    change(run)
    with pytest.raises(RunError, match=message) as raised:
        parse_run(run, document)
    assert raised.value.exit_code == 2


def test_a_file_that_is_no_json(document: ScheduleDocument, tmp_path: Path) -> None:
    """Tests that a broken file is named, and a missing one."""
    path = tmp_path / "run.json"
    path.write_text("{")
    with pytest.raises(RunError, match="is not valid JSON"):
        read_run(path, document)
    with pytest.raises(RunError, match="no such file; give the path of a run"):
        read_run(tmp_path / "none.json", document)
