"""Tests that where stages may choose how to run backward, the choice is worth having."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from benchmarks.backward import STAGES, WAYS, profiles
from nobubble.profile.model import Profile
from nobubble.progress import Progress
from nobubble.solve import solve


def backwards(document: Any) -> set[str]:
    """Give the kinds of backward that a schedule has."""
    return {a["op"] for rank in document["ranks"] for a in rank["actions"]} & {"B", "BW"}


@pytest.mark.parametrize("effort", ["fast", "normal"])
@pytest.mark.parametrize("placement", ["linear", "v"])
@pytest.mark.parametrize("name", STAGES)
def test_never_worse_than_all_split_or_all_fused(name: str, placement: str, effort: Any) -> None:
    """Tests auto against the better of both, with the same effort (needs 10)."""
    made = {
        way: solve(replace(profile, microbatches=6), effort=effort)
        for way, profile in profiles(name, 4, 1.0, placement).items()
    }
    assert made["auto"]["cost"] <= min(made[way]["cost"] for way in WAYS[:2])
    assert backwards(made["split"]) == {"B"}


def test_mixing_gains() -> None:
    """Tests that with a fused backward that is cheaper a gap is filled by splitting some."""
    made = profiles("BW = 0.85 (B + W)", 4, 1.0, "linear")
    free = solve(made["auto"])
    assert backwards(free) == {"B", "BW"}
    best = min(float(solve(made[way])["cost"]) for way in WAYS[:2])
    assert float(free["cost"]) < 0.96 * best


def test_a_dear_split_is_avoided() -> None:
    """Tests that with activation checkpointing nearly all backwards are fused (needs 10, 11)."""
    document = solve(profiles("checkpointing", 4, 1.0, "linear")["auto"])
    ops = [action["op"] for rank in document["ranks"] for action in rank["actions"]]
    assert ops.count("BW") > 0.9 * (ops.count("BW") + ops.count("B"))


def test_what_parts_of_the_work_report_is_true_of_the_whole() -> None:
    """Tests that no draft says a bound above what is found in the end."""
    heard: list[Progress] = []
    profile: Profile = profiles("checkpointing", 4, 1.0, "linear")["auto"]
    document = solve(profile, progress=heard.append)
    drafts = [report.draft for report in heard if report.draft is not None]
    assert drafts
    assert all(draft.lower_bound <= document["cost"] for draft in drafts)
    assert any(report.text.startswith("backward split: ") for report in heard)
    costs = [draft.cost for draft in drafts]
    assert costs == sorted(costs, reverse=True)


def test_stopping_stops_the_parts_too() -> None:
    """Tests that a request to stop during a part ends the whole with the best so far."""
    heard: list[str] = []
    profile = profiles("BW = 0.85 (B + W)", 4, 1.0, "linear")["auto"]
    document = solve(
        profile,
        effort="max",
        progress=lambda report: heard.append(report.text),
        stop=lambda: any(text.startswith("backward split: ") for text in heard),
    )
    assert document["stopped_by"] == "stopped"
    assert not any(text.startswith("backward fused: ") for text in heard)
