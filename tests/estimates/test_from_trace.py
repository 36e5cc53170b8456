"""Tests that traces of torch.profiler become a run; those here are real, of four processes."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from nobubble.errors import TraceError
from nobubble.estimates.from_trace import read_trace, run_of_traces
from nobubble.profile.reading import parse_profile
from nobubble.runs.difference import difference
from nobubble.runs.reading import parse_run, planned_step
from nobubble.schedule.document import ScheduleDocument
from nobubble.schedule.reading import read_schedule
from tests.cli.running import Run

FOLDER = Path(__file__).parent / "traces"
FILES = [FOLDER / f"rank{rank}.json.gz" for rank in range(4)]


@pytest.fixture(scope="module")
def document() -> ScheduleDocument:
    """Give the schedule that ran: a V on four ranks."""
    return read_schedule(FOLDER / "schedule.json")


def run_of(files: list[Path], document: ScheduleDocument) -> dict[str, Any]:
    """Give the run of some traces."""
    return run_of_traces(
        [read_trace(file) for file in files], document, parse_profile(document["profile"])
    )


def test_two_steps_are_found(document: ScheduleDocument) -> None:
    """Tests that every op is found in each of the two profiled steps, whatever the files' order."""
    run = run_of(FILES[::-1], document)
    assert run == run_of(FILES, document)
    assert [step["step"] for step in run["steps"]] == [0, 1]
    read = parse_run(run, document)
    profile = parse_profile(document["profile"])
    found = difference(profile, planned_step(document), read.median_step())
    assert found.measured_makespan == read.median_step().makespan


def test_waiting_is_no_part_of_an_op(document: ScheduleDocument) -> None:
    """Tests that no op begins before its input can be there, and none became longer."""
    profile = parse_profile(document["profile"])
    spans = {
        (rank, number): op
        for rank, file in enumerate(FILES)
        for number, op in enumerate(read_trace(file).ops)
    }
    run = parse_run(run_of(FILES, document), document)
    shorter = 0
    for rank in range(4):
        ran = [op for step in run.steps for op in step.ranks[rank]]
        for number, op in enumerate(ran):
            assert op.op == spans[rank, number].op
            assert op.time <= spans[rank, number].time
            shorter += op.time < spans[rank, number].time
    assert shorter > 0
    ends = {op.op: op.end for row in run.steps[0].ranks for op in row}
    for row in run.steps[0].ranks:
        for op in row:
            kind, stage, microbatch = op.op
            if kind == "F" and stage in (1, 2, 3):
                due = ends["F", stage - 1, microbatch] + profile.communication_forward[stage - 1]
                assert op.start >= min(due, op.end)


def test_a_rank_is_missing(document: ScheduleDocument) -> None:
    """Tests that one trace for every rank is asked for."""
    with pytest.raises(TraceError, match="3 traces for 4 ranks; give one for every rank"):
        run_of(FILES[:3], document)
    with pytest.raises(TraceError, match="are of ranks 0, 1, 2, 2; give one of every rank, 0 to 3"):
        run_of([*FILES[:3], FILES[2]], document)


def test_another_schedule(document: ScheduleDocument, tmp_path: Path) -> None:
    """Tests that ops in another order, or a step that is cut off, are refused."""
    data = json.loads(gzip.decompress(FILES[1].read_bytes()))
    data["traceEvents"] = data["traceEvents"][:-9]
    cut = tmp_path / "cut.json"
    cut.write_text(json.dumps(data))
    with pytest.raises(TraceError, match="rank 1 ran nothing more where the schedule has"):
        run_of([FILES[0], cut, *FILES[2:]], document)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not valid JSON"),
        ("{}", "is no trace: it has no list of traceEvents"),
        ('{"traceEvents": []}', "has no span such as PP:0F0"),
    ],
)
def test_a_file_that_is_no_trace(text: str, message: str, tmp_path: Path) -> None:
    """Tests that what is wrong with a file is said."""
    path = tmp_path / "trace.json"
    path.write_text(text)
    with pytest.raises(TraceError, match=message):
        read_trace(path)
    with pytest.raises(TraceError, match="no such file"):
        read_trace(tmp_path / "none.json")


def test_from_the_command_line(tmp_path: Path, run: Run) -> None:
    """Tests from-trace and diff, one after the other, as a user calls them."""
    out = tmp_path / "run.json"
    schedule = FOLDER / "schedule.json"
    outcome = run("profile", "from-trace", *FILES, "--schedule", schedule, "-o", out)
    assert outcome.code == 0, outcome.err
    assert "2 steps are written to" in outcome.err
    assert run("diff", schedule, out).code == 0


def test_an_estimate_from_the_command_line(tmp_path: Path, run: Run) -> None:
    """Tests from-model: what it writes can be solved, and says that it is no measurement."""
    out = tmp_path / "model.json"
    asked = ["--hidden", "1024", "--layers", "12", "--heads", "16", "--sequence", "512"]
    outcome = run("profile", "from-model", *asked, "--ranks", "4", "--microbatches", "8", "-o", out)
    assert outcome.code == 0, outcome.err
    assert "not a measurement" in outcome.err
    assert run("solve", out, "--effort", "fast", "-o", tmp_path / "schedule.json").code == 0


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--efficiency", "1.5", "'1.5' is not a part between 0 and 1"),
        ("--efficiency", "0.5,0.5", "is not a part between 0 and 1, or three"),
        ("--flops", "0", "0.0 is not above 0"),
        ("--layers", "0", "Input should be greater than or equal to 1"),
    ],
)
def test_wrong_figures_are_refused(option: str, value: str, message: str, run: Run) -> None:
    """Tests that each wrong option is named."""
    asked = {"--hidden": "64", "--layers": "4", "--heads": "4", "--sequence": "64"}
    asked |= {"--ranks": "2", "--microbatches": "4", option: value}
    outcome = run("profile", "from-model", *(word for pair in asked.items() for word in pair))
    assert outcome.code == 2
    assert message in outcome.err
