"""The bubbles of the Zero Bubble paper's table, and those of nobubble beside them.

All as rank span. `interleaved` is printed less one latency a rank, which the published values do
not count.
"""

from __future__ import annotations

from typing import Any

from benchmarks.tables import print_table
from nobubble.solve import solve
from tests.published import INTERLEAVED_CHUNKS, bubble, row_name, row_profile, table_rows


def main() -> None:
    """Print three tables: named schedules, the search within 1x and 2x memory, and makespan."""
    rows = table_rows()
    print("Named schedules: bubble here / published\n")
    names = ("1f1b", "interleaved-1f1b", "zb-h1", "zb-h2")
    print_table(
        ["", *names],
        [[row_name(row), *(_named(row, name) for name in names)] for row in rows],
    )
    print("\nDefault method, rank span: bubble here / published (method; gap to the bound)\n")
    print_table(
        ["", "1x memory (zb-1p)", "2x memory (zb-2p)"],
        [[row_name(row), _searched(row, 1), _searched(row, 2)] for row in rows],
    )
    print("\nDefault method, makespan: bubble (method; gap to the bound)\n")
    print_table(
        ["", "1x memory", "2x memory"],
        [[row_name(row), _makespan(row, 1), _makespan(row, 2)] for row in rows],
    )


def _named(row: dict[str, Any], name: str) -> str:
    chunks = INTERLEAVED_CHUNKS[row["model"]] if name == "interleaved-1f1b" else 1
    profile = row_profile(row, None, chunks=chunks, objective="rank_span")
    cost = int(solve(profile, method=name)["cost"])
    if name == "interleaved-1f1b":
        cost -= row["ranks"] * profile.communication_forward[0]
    return f"{bubble(profile, cost):.4f} / {row['bubble'][name]:.4f}"


def _searched(row: dict[str, Any], times_1f1b: int) -> str:
    profile = row_profile(row, times_1f1b, objective="rank_span")
    document = solve(profile)
    here = bubble(profile, int(document["cost"]))
    published = row["bubble"][f"zb-{times_1f1b}p"]
    return f"{here:.4f} / {published:.4f} ({document['method']}; {float(document['gap']):.2%})"


def _makespan(row: dict[str, Any], times_1f1b: int) -> str:
    profile = row_profile(row, times_1f1b, objective="makespan")
    document = solve(profile)
    here = bubble(profile, int(document["cost"]))
    return f"{here:.4f} ({document['method']}; {float(document['gap']):.2%})"


if __name__ == "__main__":
    main()
