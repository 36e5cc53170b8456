"""The published tables and cases as problems."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from nobubble.problem import UNLIMITED, Problem
from nobubble.profile.model import Objective

REFERENCE = Path(__file__).parents[1] / "reference"


def search_cases() -> list[dict[str, Any]]:
    """Give the 40 cases with the costs of the best schedules known."""
    cases: list[dict[str, Any]] = json.loads((REFERENCE / "search_cases.json").read_text())["cases"]
    return cases


def table_rows() -> list[dict[str, Any]]:
    """Give the twelve rows of the paper's table."""
    rows: list[dict[str, Any]] = json.loads((REFERENCE / "zero_bubble_tables.json").read_text())[
        "rows"
    ]
    return rows


def v_rows() -> list[dict[str, Any]]:
    """Give the nine rows of the table of V schedules."""
    rows: list[dict[str, Any]] = json.loads((REFERENCE / "v_schedule_tables.json").read_text())[
        "rows"
    ]
    return rows


def of_case(case: dict[str, Any], objective: Objective) -> Problem:
    """Give a search case as a problem."""
    return linear(
        microbatches=case["microbatches"],
        times=list(zip(*(case["time_ns"][kind] for kind in "FBW"), strict=True)),
        memories=list(zip(*(case["memory"][kind] for kind in "FBW"), strict=True)),
        capacity=case["memory_limit"],
        latency=case["comm_ns"],
        objective=objective,
    )


def of_row(row: dict[str, Any], objective: Objective, times_1f1b: int) -> Problem:
    """Give a row of the table as a problem, with its memory limit as a multiple of 1F1B's."""
    ranks = row["ranks"]
    time = {kind: round(row["time_ms"][kind] * 10**6) for kind in ("F", "B", "W", "comm")}
    return linear(
        microbatches=row["microbatches"],
        times=[(time["F"], time["B"], time["W"])] * ranks,
        memories=[(2, -1, -1)] * ranks,
        capacity=[2 * times_1f1b * ranks] * ranks,
        latency=time["comm"],
        objective=objective,
    )


def of_v_row(row: dict[str, Any], objective: Objective) -> Problem:
    """Give a row of the table of V schedules as a problem, with the memory limit of 1F1B."""
    ranks, time = row["ranks"], {kind: 1000 * of for kind, of in row["time_us"].items()}
    stages = 2 * ranks
    problem = linear(
        microbatches=row["microbatches"],
        times=[(time["F"], time["B"], time["W"])] * stages,
        memories=[(2, -1, -1)] * stages,
        latency=time["comm"],
        objective=objective,
    )
    # Stages p - 1 and p are both on the last rank.
    problem.forward_latency[ranks] = problem.backward_latency[ranks - 1] = 0
    return replace(
        problem,
        ranks=ranks,
        rank_of=np.array([min(s, stages - 1 - s) for s in range(stages)]),
        capacity=np.full(ranks, 4 * ranks),
        static_memory=np.zeros(ranks, dtype=np.int64),
    )


def linear(
    *,
    microbatches: int,
    times: list[tuple[int, ...]],
    memories: list[tuple[int, ...]] | None = None,
    capacity: list[int] | None = None,
    latency: int = 0,
    objective: Objective = "makespan",
) -> Problem:
    """Give a problem with one stage a rank, from (F, B, W) of every stage; backward is split."""
    ranks = len(times)
    memories = memories or [(0, 0, 0)] * ranks
    forward_latency = np.full(ranks, latency, dtype=np.int64)
    backward_latency = forward_latency.copy()
    forward_latency[0] = backward_latency[-1] = 0
    return Problem(
        ranks=ranks,
        stages=ranks,
        microbatches=microbatches,
        rank_of=np.arange(ranks, dtype=np.int64),
        time=np.array([[f, b, w, b + w] for f, b, w in times], dtype=np.int64),
        memory=np.array([[f, b, w, b + w] for f, b, w in memories], dtype=np.int64),
        workspace=np.zeros((ranks, 4), dtype=np.int64),
        forward_latency=forward_latency,
        backward_latency=backward_latency,
        may_split=np.ones(ranks, dtype=np.bool_),
        may_fuse=np.zeros(ranks, dtype=np.bool_),
        capacity=np.array([UNLIMITED] * ranks if capacity is None else capacity, dtype=np.int64),
        static_memory=np.zeros(ranks, dtype=np.int64),
        objective=objective,
    )
