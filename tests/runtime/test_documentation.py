"""Tests that the program of docs/runtime.md runs as it stands there, on four ranks."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from tests.runtime.models import batch, model
from tests.runtime.ranks import Ranks
from tests.runtime.schedules import schedule

PAGE = Path(__file__).parents[2] / "docs" / "runtime.md"


def followed(rank: int, folder: str) -> list[str]:
    os.chdir(folder)
    inputs, targets = batch(8)
    names: dict[str, Any] = {
        "rank": rank,
        "my_modules": [(rank, model(4)[rank])],
        "inputs": inputs,
        "targets": targets,
    }
    for block in re.findall(
        r"^```py\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    ):
        exec(compile(block, str(PAGE), "exec"), names)
    return sorted(path.name for path in Path(folder).iterdir())


def test_the_documented_program_runs(ranks: Ranks, tmp_path: Path) -> None:
    """Tests all blocks in order: load, step, measure, record."""
    (tmp_path / "schedule.json").write_text(json.dumps(schedule("linear")), encoding="utf-8")
    ranks.run(followed, str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("profile.json", "run.json", "schedule.json")
    ]
