"""The paper's 6.2B model, 24 microbatches, with less memory than 1F1B takes.

Beside it what the published heuristic reaches, and what a plain annealing did in a prototype.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.options import OBJECTIVES, Options, nanoseconds, parser
from benchmarks.tables import announced, print_table
from nobubble.profile.model import Objective
from tests.published import HALF, bubble, row_profile, table_rows

FIGURES = {
    15 / 16: (0.4153, 0.1631),
    0.75: (0.5901, 0.2464),
    0.5: (0.7435, 0.4517),
    0.25: (0.8134, 0.70),
}
"""Bubbles of the published heuristic and of annealing, by the part of 1F1B's memory."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table for each objective."""
    options = Options.of(parser(__doc__).parse_args(arguments))
    for objective in OBJECTIVES:
        parts = announced(list(FIGURES), lambda part: f"{part:g} of 1F1B's memory")
        rows = [_row(part, objective, options) for part in parts]
        print(f"\n{objective}, {options}\n")
        print_table(
            [
                "memory", "cost (ns)", "bubble", "its bound", "gap", "zb-auto", "published",
                "annealing", "method", "bound",
            ],
            rows,
        )  # fmt: skip


def _row(part: float, objective: Objective, options: Options) -> list[object]:
    row = next(r for r in table_rows() if (r["model"], r["microbatches"]) == ("6.2B", 24))
    profile = row_profile(row, 1, objective=objective)
    limit = int(part * 2 * HALF * profile.ranks)
    profile = replace(profile, memory_limit=(limit,) * profile.ranks)
    document = options.solve(profile)
    cost, bound = nanoseconds(document), nanoseconds(document, "lower_bound")
    heuristic = nanoseconds(options.solve(profile, "zb-auto"))
    published, annealing = FIGURES[part]
    return [
        f"{part:g}x",
        cost,
        f"{bubble(profile, cost):.4f}",
        f"{bubble(profile, bound):.4f}",
        f"{float(document['gap']):.2%}",
        f"{bubble(profile, heuristic):.4f}",
        f"{published:.4f}",
        f"{annealing:.4f}",
        document["method"],
        document["bound"],
    ]


if __name__ == "__main__":
    main()
