"""The measured profile under ever smaller memory limits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from benchmarks.tables import print_table
from nobubble.errors import InfeasibleError
from nobubble.profile.model import Objective, Profile
from nobubble.profile.reading import read_profile
from nobubble.solve import solve

PROFILE = Path(__file__).parents[1] / "profiles" / "measured-p8.json"
MICROBATCH = 1240 * 10**6
"""Bytes that a microbatch holds on an inner stage."""
LIMITS = (16, 12, 8, 6, 5, 4, 3, 2, 1)
OBJECTIVES: tuple[Objective, ...] = ("makespan", "rank_span")


def main() -> None:
    """Print a row for each limit and objective."""
    profile = read_profile(PROFILE)
    for objective in OBJECTIVES:
        print(f"\n{objective}\n")
        print_table(
            ["limit", "cost (us)", "bubble", "gap", "1f1b, zb-h1, zb-auto", "method", "bound"],
            [_row(replace(profile, objective=objective), limit) for limit in LIMITS],
        )


def _row(profile: Profile, microbatches: int) -> list[object]:
    limited = replace(profile, memory_limit=(microbatches * MICROBATCH,) * profile.ranks)
    document = solve(limited)
    others = []
    for method in ("1f1b", "zb-h1", "zb-auto"):
        try:
            others.append(f"{float(solve(limited, method=method)['metrics']['bubble_rate']):.4f}")
        except InfeasibleError:
            others.append("-")
    return [
        f"1240 MB x {microbatches}",
        document["cost"],
        f"{float(document['metrics']['bubble_rate']):.4f}",
        f"{float(document['gap']):.2%}",
        ", ".join(others),
        document["method"],
        document["bound"],
    ]


if __name__ == "__main__":
    main()
