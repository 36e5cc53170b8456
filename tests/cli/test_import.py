"""Tests of ``nobubble import``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nobubble.profile.document import profile_document
from nobubble.schedule.writing import json_text
from tests.cli.running import Run
from tests.imports.tables import changed, drop, dumped, fitting

COMMS = "interleaved-zero-bubble.comms.csv"


@pytest.fixture
def of_table(tmp_path: Path) -> Path:
    """Give the file of a profile that fits COMMS."""
    path = tmp_path / "profile.json"
    path.write_text(json_text(profile_document(fitting(COMMS))))
    return path


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Give the file of COMMS."""
    path = tmp_path / "torch.csv"
    path.write_text(dumped(COMMS))
    return path


def test_what_a_table_costs(table: Path, of_table: Path, tmp_path: Path, run: Run) -> None:
    """Tests the figures of a table that PyTorch dumped, and the schedule that is written."""
    output = tmp_path / "schedule.json"
    outcome = run("import", table, "--profile", of_table, "-o", output)
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err.splitlines() == [
        "note: UNSHARD and RESHARD are left out (8 of them): they move weights, and a profile has "
        "no times for them",
        "method       imported",
        "cost         218 ms (makespan)",
        "lower bound  210.5 ms (busy)",
        "gap          3.44 %",
        "makespan     218 ms",
        "rank span    218 ms",
        "bubble       8.26 %",
        "idle         8.26 %",
        "peak memory  17 MiB on rank 0, limit 60 MiB",
        "status       feasible (nothing better was looked for)",
        "waits        rank 0: 18 ms in 3 places, the longest 11 ms before B(2, 0)",
        "             rank 1: 2 ms in 2 places, the longest 1 ms before F(3, 0)",
        "transfers    right under rendezvous, directions, buffered",
        f"written to   {output}",
    ]
    assert run("verify", output, "--profile", of_table).code == 0


def test_stdin_and_stdout(of_table: Path, run: Run) -> None:
    """Tests that a table is read from stdin, the schedule written to stdout, figures to stderr."""
    outcome = run("import", "-", "--profile", of_table, stdin=dumped("interleaved.csv"))
    assert outcome.code == 0
    assert json.loads(outcome.out)["method"] == "imported"
    assert "transfers    none in the table; PyTorch adds them\n" in outcome.err
    both = run("import", "-", "--profile", "-", stdin="")
    assert both.code == 2
    assert "the table comes from stdin already" in both.err


def test_a_round_trip(schedule_path: Path, profile_path: Path, tmp_path: Path, run: Run) -> None:
    """Tests that an exported schedule comes back with the same actions."""
    table = tmp_path / "x.csv"
    assert run("export", schedule_path, "--format", "torch-csv-comms", "-o", table).code == 0
    outcome = run("import", table, "--profile", profile_path)
    assert outcome.code == 0
    there, back = json.loads(schedule_path.read_text()), json.loads(outcome.out)
    assert back["ranks"] == there["ranks"]
    assert back["metrics"] == there["metrics"]


def test_a_fault(table: Path, of_table: Path, tmp_path: Path, run: Run) -> None:
    """Tests that a table which would hang is told, and that no schedule is written."""
    table.write_text(changed(COMMS, drop(0, "0SEND_F1")))
    output = tmp_path / "schedule.json"
    outcome = run("import", table, "--profile", of_table, "-o", output)
    assert outcome.code == 5
    assert outcome.err == (
        "error: rank 0: SEND_F of stage 0 to rank 1 is missing for microbatch 1; a rank would wait "
        "for it until PyTorch gives up\n"
    )
    assert not output.exists()
    assert run("import", table, "--profile", of_table, "--ops-only", "-o", output).code == 0


def test_malformed(table: Path, of_table: Path, run: Run) -> None:
    """Tests that what is no table is bad input, by row and column."""
    table.write_text("0F0,0Q0\n1F0\n")
    outcome = run("import", table, "--profile", of_table)
    assert outcome.code == 2
    assert outcome.err.startswith(f'error: {table}: row 1, column 2: "0Q0" is no action; ')


def test_overrides(table: Path, of_table: Path, run: Run) -> None:
    """Tests that a profile that differs fits with the option that the message names."""
    profile = json.loads(of_table.read_text())
    profile.update(microbatches=7, placement="v")
    of_table.write_text(json.dumps(profile))
    first = run("import", table, "--profile", of_table)
    assert first.code == 2
    assert "with --microbatches 4 the profile has as many" in first.err
    second = run("import", table, "--profile", of_table, "--microbatches", "4")
    assert second.code == 2
    assert "with --placement 0,1,0,1 the profile is placed as the table is" in second.err
    options = ("--microbatches", "4", "--placement", "0,1,0,1")
    assert run("import", table, "--profile", of_table, *options).code == 0
    assert run("import", table, "--profile", of_table, *options, "--memory-limit", "9").code == 5
    without = (*options, "--memory-limit", "9", "--ignore-memory-limit")
    assert run("import", table, "--profile", of_table, *without).code == 0
