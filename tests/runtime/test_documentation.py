"""Tests that the programs of the documentation run as they stand there, on four ranks."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from tests.runtime.models import batch, loss_of, model, stages_on
from tests.runtime.ranks import Ranks
from tests.runtime.schedules import schedule

DOCS = Path(__file__).parents[2] / "docs"


def followed(rank: int, folder: str, page: str) -> list[str]:
    os.chdir(folder)
    inputs, targets = batch(8)
    names: dict[str, Any] = {
        "rank": rank,
        "my_modules": [(rank, model(4)[rank])],
        "inputs": inputs,
        "targets": targets,
        "stages": stages_on(rank, range(4)),
        "loss_fn": loss_of("mean"),
        "batches": [(inputs, targets)] * 3,
    }
    for block in re.findall(
        r"^```py\n(.*?)^```", (DOCS / page).read_text("utf-8"), re.DOTALL | re.MULTILINE
    ):
        exec(compile(block, page, "exec"), names)
    return sorted(path.name for path in Path(folder).iterdir())


def test_the_documented_program_runs(ranks: Ranks, tmp_path: Path) -> None:
    """Tests all blocks in order: load, step, measure, record."""
    (tmp_path / "schedule.json").write_text(json.dumps(schedule("linear")), encoding="utf-8")
    ranks.run(followed, str(tmp_path), "runtime.md")
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("profile.json", "run.json", "schedule.json")
    ]


def test_post_validation_as_documented_runs(ranks: Ranks, tmp_path: Path) -> None:
    """Tests the training loop of docs/post_validation.md."""
    (tmp_path / "schedule.json").write_text(json.dumps(schedule("rank-span")), encoding="utf-8")
    ranks.run(followed, str(tmp_path), "post_validation.md")
