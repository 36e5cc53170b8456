"""The bubbles of the Zero Bubble paper's table, and those of nobubble beside them.

All as rank span. `interleaved` is printed less one latency a rank, which the published values do
not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from benchmarks.options import Options, nanoseconds, parser
from benchmarks.tables import announced, print_table
from nobubble.solve import solve
from tests.published import INTERLEAVED_CHUNKS, bubble, row_name, row_profile, table_rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Print three tables: named schedules, the search within 1x and 2x memory, and makespan."""
    options = Options.of(parser(__doc__).parse_args(arguments))
    rows = table_rows()
    print("Named schedules: bubble here / published\n")
    names = ("1f1b", "interleaved-1f1b", "zb-h1", "zb-h2")
    print_table(
        ["", *names],
        [[row_name(row), *(_named(row, name) for name in names)] for row in rows],
    )
    cells = {"rank span": partial(_searched, options), "makespan": partial(_makespan, options)}
    for objective, cell in cells.items():
        lines = [[row_name(row), cell(row, 1), cell(row, 2)] for row in announced(rows, row_name)]
        published = " / published" if objective == "rank span" else ""
        print(f"\nauto {options}, {objective}: bubble here{published} (method; gap)\n")
        print_table(["", "1x memory", "2x memory"], lines)


def _named(row: dict[str, Any], name: str) -> str:
    chunks = INTERLEAVED_CHUNKS[row["model"]] if name == "interleaved-1f1b" else 1
    profile = row_profile(row, None, chunks=chunks, objective="rank_span")
    cost = nanoseconds(solve(profile, method=name))
    if name == "interleaved-1f1b":
        cost -= row["ranks"] * profile.communication_forward[0]
    return f"{bubble(profile, cost):.4f} / {row['bubble'][name]:.4f}"


def _searched(options: Options, row: dict[str, Any], times_1f1b: int) -> str:
    profile = row_profile(row, times_1f1b, objective="rank_span")
    document = options.solve(profile)
    here = bubble(profile, nanoseconds(document))
    published = row["bubble"][f"zb-{times_1f1b}p"]
    return f"{here:.4f} / {published:.4f} ({document['method']}; {float(document['gap']):.3%})"


def _makespan(options: Options, row: dict[str, Any], times_1f1b: int) -> str:
    profile = row_profile(row, times_1f1b, objective="makespan")
    document = options.solve(profile)
    here = bubble(profile, nanoseconds(document))
    return f"{here:.4f} ({document['method']}; {float(document['gap']):.3%})"


if __name__ == "__main__":
    main()
