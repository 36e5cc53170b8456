"""The 40 search cases: the default method beside the published heuristic and the best known."""

from __future__ import annotations

from statistics import mean, median
from typing import Any

from benchmarks.tables import print_table
from nobubble.profile.model import Objective
from nobubble.solve import solve
from tests.published import case_profile, search_cases

FIGURES: dict[Objective, str] = {"makespan": "makespan", "rank_span": "span"}


def main() -> None:
    """Print a table for each objective, and how many cases are above what is published."""
    for objective in FIGURES:
        _table(objective)


def _table(objective: Objective) -> None:
    print(f"\n{objective}: cost relative to the published heuristic and to the best known\n")
    rows, to_published, to_best, gaps = [], [], [], []
    for case in search_cases():
        cost, published, best, gap, row = _row(case, objective)
        rows.append(row)
        to_published.append(cost / published - 1)
        to_best.append(cost / best - 1)
        gaps.append(gap)
    print_table(
        [
            "case", "family", "p", "m", "limit", "here (ns)", "published", "best known", "gap",
            "method", "bound",
        ],
        rows,
    )  # fmt: skip
    print(
        f"\nabove the published heuristic: {sum(d > 0 for d in to_published)} of {len(rows)}; "
        f"below: {sum(d < 0 for d in to_published)}, by {-min(to_published):.1%} at most\n"
        f"above the best known: {sum(d > 0 for d in to_best)}, by {max(to_best):.2%} at most; "
        f"below: {sum(d < 0 for d in to_best)}\n"
        f"proven optimal: {sum(gap == 0 for gap in gaps)}; "
        f"gap: median {median(gaps):.2%}, mean {mean(gaps):.2%}, largest {max(gaps):.2%}"
    )


def _row(
    case: dict[str, Any], objective: Objective
) -> tuple[int, float, float, float, list[object]]:
    document = solve(case_profile(case, objective))
    cost, gap = int(document["cost"]), float(document["gap"])
    published = case[f"published_heuristic_{FIGURES[objective]}"]
    best = case[f"best_known_{FIGURES[objective]}"]
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
