"""Tests that the example runs from beginning to end, as a newcomer runs it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOTS = ("optimizer", "api", "cli", "runtime")


def test_the_example_measures_plans_and_trains(tmp_path: Path) -> None:
    """Tests its files, that both schedules train alike, and that what it prints is there."""
    path = os.pathsep.join(str(ROOT / root) for root in ROOTS)
    command = [sys.executable, str(ROOT / "examples" / "train_small_transformer.py")]
    short = ["--steps", "2", "--sleep", "2", "--microbatches", "4", "--effort", "fast"]
    done = subprocess.run(
        [*command, *short, "--folder", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("1f1b.json", "1f1b.run.json", "auto.json", "auto.run.json", "profile.json")
    ]
    assert re.search(r"^1F1B +\d+\.\d +\d+\.\d$", done.stdout, re.MULTILINE)
    assert re.search(r"^planned +\d+\.\d +\d+\.\d$", done.stdout, re.MULTILINE)
    losses = re.findall(r"loss (\d+\.\d+) to", done.stdout)
    assert len(losses) == 2
    assert losses[0] == losses[1]
    difference = re.search(r"largest relative difference (\S+)", done.stdout)
    assert difference is not None
    assert float(difference[1]) < 1e-5
    run = json.loads((tmp_path / "auto.run.json").read_text(encoding="utf-8"))
    assert len(run["steps"]) == 2
