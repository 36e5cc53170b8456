"""The 40 search cases: the default method beside the published heuristic and the best known.

The best known is that of tests/reference/, so that it stays the same when nobubble finds better.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean, median
from typing import Any

from benchmarks.options import OBJECTIVES, Options, nanoseconds, parser
from benchmarks.tables import announced, print_table
from nobubble.profile.model import Objective
from tests.published import case_profile, search_cases

CLOSE = 0.002
"""A cost is near the best known when it is above it by no more than this part."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table for each objective, with a summary under it."""
    options = Options.of(parser(__doc__).parse_args(arguments))
    for objective in OBJECTIVES:
        _table(objective, options)


def _table(objective: Objective, options: Options) -> None:
    rows, to_published, to_best, gaps = [], [], [], []
    for case in announced(search_cases(), lambda case: f"{case['id']} {objective}"):
        cost, published, best, gap, row = _row(case, objective, options)
        rows.append(row)
        to_published.append(cost / published - 1)
        to_best.append(cost / best - 1)
        gaps.append(gap)
    print(f"\n{objective}: cost, also relative to the published heuristic and to the best known\n")
    print_table(
        [
            "case", "family", "p", "m", "limit", "here (ns)", "published", "best known", "gap",
            "method", "bound",
        ],
        rows,
    )  # fmt: skip
    proven = sum(gap == 0 for gap in gaps)
    print(
        f"\n{objective}, {options}, {len(rows)} cases\n"
        f"within {CLOSE:.1%} of the best known or better: {sum(d <= CLOSE for d in to_best)}; "
        f"below it: {sum(d < 0 for d in to_best)}; above it: {sum(d > 0 for d in to_best)}, "
        f"by {max(to_best):.2%} at most\n"
        f"above the published heuristic: {sum(d > 0 for d in to_published)}; "
        f"below: {sum(d < 0 for d in to_published)}, by {-min(to_published):.1%} at most\n"
        f"proven optimal: {proven}, {proven / len(rows):.1%}; "
        f"gap: median {median(gaps):.2%}, mean {mean(gaps):.2%}, largest {max(gaps):.2%}"
    )


def _row(
    case: dict[str, Any], objective: Objective, options: Options
) -> tuple[int, float, float, float, list[object]]:
    document = options.solve(case_profile(case, objective))
    cost, gap = nanoseconds(document), float(document["gap"])
    figure = objective.removeprefix("rank_")
    published, best = case[f"published_heuristic_{figure}"], case[f"best_known_{figure}"]
    memory = case["memory_limit"][0] / (case["memory"]["F"][0] * case["ranks"])
    row = [
        case["id"],
        case["family"],
        case["ranks"],
        case["microbatches"],
        f"{memory:.2f}x",
        cost,
        f"{cost / published - 1:+.2%}",
        f"{cost / best - 1:+.2%}",
        f"{gap:.2%}",
        document["method"],
        document["bound"],
    ]
    return cost, published, best, gap, row


if __name__ == "__main__":
    main()
