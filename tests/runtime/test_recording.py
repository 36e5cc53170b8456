"""Tests that a recorded run says what happened, on every rank and on one time axis."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
import torch

from nobubble_torch import PostValidation, load, record
from nobubble_torch.document import actions_sha256, parse
from nobubble_torch.errors import MeasureError
from nobubble_torch.recording.offsets import Offset, estimated_offset, share_a_clock
from nobubble_torch.recording.recorder import Step
from nobubble_torch.recording.run_document import run_document
from tests.runtime.models import batch, loss_of, stages_on
from tests.runtime.ranks import Ranks
from tests.runtime.schedules import schedule

SLEEP = 0.004


class Slow(torch.autograd.Function):
    """Takes its time in forward, and in the backward for the input."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        time.sleep(SLEEP)
        return x.clone()

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        time.sleep(SLEEP)
        return gradient


def recorded(rank: int, document: dict[str, Any], steps: int) -> dict[str, Any]:
    stages = stages_on(rank, document["placement"])
    for stage in stages:
        stage.submod.register_forward_pre_hook(lambda _, args: (Slow.apply(args[0]),))
    runtime = load(document, stages, loss_fn=loss_of("mean"))
    inputs, targets = batch(runtime.schedule.microbatches)
    args = (inputs,) if stages[0].is_first else ()
    target = targets if stages[-1].is_last else None
    with record(runtime) as recording:
        for _ in range(steps):
            runtime.step(*args, target=target)
            runtime.eval(*args, target=target)
    runtime.step(*args, target=target)
    return recording.document


@pytest.fixture(scope="module")
def run(ranks: Ranks) -> dict[str, Any]:
    """Give a run of three steps under V, of which the first is left out."""
    answers: list[dict[str, Any]] = ranks.run(recorded, schedule("v"), 3)
    assert all(answer == answers[0] for answer in answers)
    return answers[0]


def test_a_run_names_its_schedule(run: dict[str, Any]) -> None:
    """Tests the hashes, the numbers of the steps, and that evaluation and later steps are out."""
    document = schedule("v")
    assert run["schema"] == "nobubble.run/1"
    assert run["schedule"] == {
        "actions_sha256": actions_sha256(parse(document, "v").rows),
        "profile_sha256": document["profile_sha256"],
    }
    assert run["placement"] == document["placement"]
    assert [step["step"] for step in run["steps"]] == [1, 2]
    assert run["clock"] == {"shared": True, "uncertainty": 0}
    assert json.loads(json.dumps(run)) == run


def test_a_run_has_every_action_in_order(run: dict[str, Any]) -> None:
    """Tests ops and transfers against the schedule's, and that REDUCE_GRAD comes once a stage."""
    for step in run["steps"]:
        for rank, planned in zip(step["ranks"], schedule("v")["ranks"], strict=True):
            known = [a for a in rank["actions"] if a["op"] != "REDUCE_GRAD"]
            keys = ("op", "stage", "microbatch", "peer")
            assert [{k: a[k] for k in keys if k in a} for a in known] == [
                {k: a[k] for k in keys if k in a} for a in planned["actions"]
            ]
            assert len(rank["actions"]) - len(known) == 2


def test_the_times_of_a_run_make_sense(run: dict[str, Any]) -> None:
    """Tests that ops of a rank do not overlap, last as long as they must, and follow their inputs
    on the other ranks.
    """
    for step in run["steps"]:
        ends: dict[tuple[str, int, int], int] = {}
        starts: list[int] = []
        for rank in step["ranks"]:
            free = rank["start"]
            for action in rank["actions"]:
                assert action["start"] >= free
                free = action.get("end", action["start"])
                if action["op"] in ("F", "B"):
                    assert free - action["start"] >= (SLEEP if action["stage"] else 0) * 1e9
                if "end" in action and "microbatch" in action:
                    ends[action["op"], action["stage"], action["microbatch"]] = free
                    starts.append(action["start"])
            assert free <= rank["end"]
        assert min(starts) == 0
        for rank in step["ranks"]:
            for action in rank["actions"]:
                if action["op"] == "F" and action["stage"] > 0:
                    before = ends["F", action["stage"] - 1, action["microbatch"]]
                    assert action["start"] >= before


def test_steps_follow_each_other(run: dict[str, Any]) -> None:
    """Tests that the start of a step counts from the first recorded step."""
    first, second = run["steps"]
    assert first["start"] == 0
    assert second["start"] >= max(rank["end"] for rank in first["ranks"]) - 50_000_000
    assert second["start"] > 7 * SLEEP * 1e9


def written(rank: int, document: dict[str, Any], path: str) -> None:
    stages = stages_on(rank, document["placement"])
    runtime = load(document, stages, loss_fn=loss_of("mean"))
    inputs, targets = batch(runtime.schedule.microbatches)
    args = (inputs,) if stages[0].is_first else ()
    with record(runtime, discard=0) as recording:
        runtime.step(*args, target=targets if stages[-1].is_last else None)
    if rank == 0:
        recording.write(path)


def test_a_run_is_written_with_an_action_a_line(ranks: Ranks, tmp_path: Any) -> None:
    """Tests that the file is JSON, and can be read and compared by line."""
    path = tmp_path / "run.json"
    ranks.run(written, schedule("few"), str(path))
    text = path.read_text(encoding="utf-8")
    run = json.loads(text)
    actions = sum(len(rank["actions"]) for rank in run["steps"][0]["ranks"])
    assert text.count('{"op": ') == actions
    assert all(line.count('"op"') <= 1 for line in text.splitlines())


AHEAD = (0, 5_000_000_000, -7_000_000_000, 123)


def compared(rank: int) -> tuple[bool, Offset]:
    def now() -> int:
        return time.perf_counter_ns() + AHEAD[rank]

    return share_a_clock(None), estimated_offset(None, torch.device("cpu"), now)


def test_clocks_of_several_hosts_are_compared(ranks: Ranks) -> None:
    """Tests the estimate on one host, where the truth is known: it is within its uncertainty."""
    for ahead, (shared, offset) in zip(AHEAD, ranks.run(compared), strict=True):
        assert shared
        assert abs(offset.ahead - ahead) <= offset.uncertainty < 100_000_000


def test_offsets_are_taken_off_and_drift_evenly() -> None:
    """Tests that two ranks with clocks apart come to one time axis."""

    def step(number: int, start: int) -> Step:
        op = {"op": "F", "stage": 0, "microbatch": 0, "start": start, "end": start + 10}
        return Step(number, start, start + 20, [op])

    here = [step(1, 1000), step(2, 2000), step(3, 2980)]
    there = [step(1, 1500), step(2, 2552), step(3, 3580)]
    run = run_document(
        [here, there],
        [(Offset(0, 0), Offset(0, 0)), (Offset(500, 3), Offset(600, 5))],
        schedule={},
        microbatches=1,
        placement=[0, 1],
        shared=False,
    )
    assert [step["start"] for step in run["steps"]] == [0, 1000, 1980]
    starts = [[rank["actions"][0]["start"] for rank in step["ranks"]] for step in run["steps"]]
    assert starts == [[0, 0], [0, 2], [0, 1]]
    assert run["clock"] == {"shared": False, "uncertainty": 5}


def recorded_twice(rank: int, document: dict[str, Any]) -> str:
    runtime = load(document, stages_on(rank, document["placement"]), loss_fn=loss_of("mean"))
    try:
        with record(runtime), record(runtime):
            pass
    except MeasureError as error:
        return str(error)
    return "recorded"


def test_a_runtime_is_recorded_once_at_a_time(ranks: Ranks) -> None:
    """Tests that a recording within another is refused."""
    for answer in ranks.run(recorded_twice, schedule("few")):
        assert "being recorded or measured already" in answer


def recorded_again(rank: int, document: dict[str, Any]) -> list[list[tuple[str, int, int]]]:
    """Record steps of which all but the first are run again, since clipping is always due."""
    stages = stages_on(rank, document["placement"])
    parameters = [it for stage in stages for it in stage.submod.parameters()]
    validated = PostValidation(torch.optim.SGD(parameters, lr=0.1), max_norm=1e-3)
    runtime = load(document, stages, loss_fn=loss_of("mean"), post_validation=validated)
    inputs, targets = batch(runtime.schedule.microbatches)
    with record(runtime, discard=0) as recording:
        for _ in range(3):
            validated.zero_grad()
            runtime.step(
                *([inputs] if stages[0].is_first else []),
                target=targets if stages[-1].is_last else None,
            )
            validated.step()
    validated.flush()
    return [
        [
            (action["op"], action["stage"], action["microbatch"])
            for action in step["ranks"][rank]["actions"]
            if "microbatch" in action
        ]
        for step in recording.document["steps"]
    ]


def test_a_warm_up_that_is_run_again_counts_once(ranks: Ranks) -> None:
    """Tests that a run has every action once, though post-validation ran some twice."""
    document = schedule("rank-span")
    for rank, steps in enumerate(ranks.run(recorded_again, document)):
        planned = [
            (a["op"], a["stage"], a["microbatch"]) for a in document["ranks"][rank]["actions"]
        ]
        assert len(steps) == 3
        for step in steps:
            assert sorted(step) == sorted(planned)
