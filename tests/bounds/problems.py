"""Problems to bound: small ones from their figures, and the published V schedules."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np

from nobubble.problem import UNLIMITED, Problem
from nobubble.profile.model import Objective
from tests.published import REFERENCE


def v_rows() -> list[dict[str, Any]]:
    """Give the nine rows of the table of V schedules."""
    rows: list[dict[str, Any]] = json.loads((REFERENCE / "v_schedule_tables.json").read_text())[
        "rows"
    ]
    return rows


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
