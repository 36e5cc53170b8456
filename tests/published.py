"""The published tables and search cases as profiles, and how their bubbles are counted."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from nobubble.profile.model import Cost, Objective, Profile, Stage

REFERENCE = Path(__file__).parent / "reference"
INTERLEAVED_CHUNKS = {"1.5B": 3, "6.2B": 4, "14.6B": 3, "28.3B": 2}
"""Chunks of a rank in the paper's interleaved runs."""
HALF = 2**10
"""Half of what a microbatch holds on a stage between F and B, in bytes."""


def table_rows() -> list[dict[str, Any]]:
    """Give the twelve rows of the paper's table."""
    text = (REFERENCE / "zero_bubble_tables.json").read_text()
    rows: list[dict[str, Any]] = json.loads(text)["rows"]
    return rows


def row_name(row: dict[str, Any]) -> str:
    """Name a row of the table, for the names of tests."""
    return f"{row['model']}-m{row['microbatches']}"


def row_profile(
    row: dict[str, Any], times_1f1b: int | None, *, chunks: int = 1, objective: Objective
) -> Profile:
    """Give a row as a profile, with a multiple of 1F1B's memory as its limit.

    With more than one chunk a rank, each has its share of the times, and the placement is
    interleaved.
    """
    p = row["ranks"]
    f, b, w, latency = (round(row["time_ms"][key] * 10**6) for key in ("F", "B", "W", "comm"))
    return uniform(
        p,
        row["microbatches"],
        tuple(round(time / chunks) for time in (f, b, w)),
        latency,
        chunks=chunks,
        limit=None if times_1f1b is None else 2 * HALF * p * times_1f1b,
        objective=objective,
    )


def uniform(
    ranks: int,
    microbatches: int,
    times: tuple[int, ...],
    latency: int = 0,
    *,
    chunks: int = 1,
    limit: int | None = None,
    objective: Objective = "makespan",
) -> Profile:
    """Give a profile of equal stages, linear or interleaved, whose B gives back half of F's."""
    f, b, w = times
    stage = Stage(Cost(f, 2 * HALF), Cost(b, -HALF), Cost(w, -HALF), Cost(b + w, -2 * HALF))
    stages = ranks * chunks
    return Profile(
        name=None,
        time_unit="ns",
        memory_unit="B",
        ranks=ranks,
        microbatches=microbatches,
        placement=tuple(s % ranks for s in range(stages)),
        stages=(stage,) * stages,
        communication_forward=(latency,) * (stages - 1),
        communication_backward=(latency,) * (stages - 1),
        memory_limit=(limit,) * ranks,
        static_memory=(0,) * ranks,
        objective=objective,
    )


V_UNIT = (1000, 1000, 1000)
"""F, B and W of a stage in the published figures of V-Half and V-Min; communication is 1."""


def v(profile: Profile) -> Profile:
    """Place a profile of two stages a rank as a V."""
    down = range(profile.ranks)
    return replace(profile, placement=(*down, *reversed(down)))


def v_row_profile(row: dict[str, Any], *, objective: Objective) -> Profile:
    """Give a row of the table of V schedules as a profile, with 1F1B's memory as its limit."""
    f, b, w, latency = (1000 * row["time_us"][key] for key in ("F", "B", "W", "comm"))
    p, m = row["ranks"], row["microbatches"]
    limit = 4 * HALF * p
    return v(uniform(p, m, (f, b, w), latency, chunks=2, limit=limit, objective=objective))


def v_family() -> dict[tuple[int, int], dict[str, tuple[float, int]]]:
    """Give the published V-Half and V-Min: the bubble, and the peak in microbatches.

    By the numbers of ranks and microbatches, and by name. A microbatch counts with both stages.
    """
    text = (REFERENCE / "v_schedule_tables.json").read_text()
    table = json.loads(text)["v_family_unit_times"]
    found = {}
    for ranks, microbatches in ((8, 24), (8, 32), (8, 64), (16, 48)):
        bubbles = table[f"p{ranks}_m{microbatches}"]
        peaks = table["peak_in_M_B_half_min"][f"p{ranks}"]
        found[ranks, microbatches] = dict(
            zip(("v-half", "v-min"), zip(bubbles, peaks, strict=True), strict=True)
        )
    return found


def bubble(profile: Profile, cost: int) -> float:
    """Give the paper's bubble rate of equal stages: (cost - m(F + B + W)) / cost."""
    on_rank_0 = [s for s, rank in enumerate(profile.placement) if rank == 0]
    stages = [profile.stages[s] for s in on_rank_0]
    busy = profile.microbatches * sum(s.F.time + s.B.time + s.W.time for s in stages)
    return (cost - busy) / cost


def search_cases() -> list[dict[str, Any]]:
    """Give the 40 search cases."""
    cases: list[dict[str, Any]] = json.loads((REFERENCE / "search_cases.json").read_text())["cases"]
    return cases


def case_profile(case: dict[str, Any], objective: Objective) -> Profile:
    """Give a search case as a profile."""
    time, memory, p = case["time_ns"], case["memory"], case["ranks"]
    stages = tuple(
        Stage(
            Cost(time["F"][s], memory["F"][s]),
            Cost(time["B"][s], memory["B"][s]),
            Cost(time["W"][s], memory["W"][s]),
            Cost(time["B"][s] + time["W"][s], -memory["F"][s]),
        )
        for s in range(p)
    )
    return Profile(
        name=case["id"],
        time_unit="ns",
        memory_unit="B",
        ranks=p,
        microbatches=case["microbatches"],
        placement=tuple(range(p)),
        stages=stages,
        communication_forward=(case["comm_ns"],) * (p - 1),
        communication_backward=(case["comm_ns"],) * (p - 1),
        memory_limit=tuple(case["memory_limit"]),
        static_memory=(0,) * p,
        objective=objective,
    )
