"""Print how far every lower bound is from the best schedule known of the 40 search cases.

python -m benchmarks.bounds_search_cases
"""

from __future__ import annotations

import statistics

from nobubble.bounds.best import best_bound, lower_bounds
from nobubble.problem import Problem
from nobubble.profile.model import Objective
from tests.published import case_profile, search_cases


def main() -> None:
    """Print the table."""
    objectives: tuple[tuple[Objective, str], ...] = (
        ("makespan", "best_known_makespan"),
        ("rank_span", "best_known_span"),
    )
    for objective, key in objectives:
        gaps = []
        print(f"{objective}: (best known - bound) / best known, in %")
        for case in search_cases():
            problem = Problem.of(case_profile(case, objective))
            known = int(case[key])
            best = best_bound(problem)
            gaps.append(100 * (known - best.value) / known)
            each = " ".join(
                f"{bound.name} {100 * (known - bound.value) / known:.2f}"
                for bound in lower_bounds(problem)
            )
            print(
                f"{case['id']} p={case['ranks']:2} m={case['microbatches']:2}"
                f" {gaps[-1]:5.2f} {best.name:10} ({each})"
            )
        print(
            f"{sum(gap == 0 for gap in gaps)} of {len(gaps)} proven optimal;"
            f" median {statistics.median(gaps):.2f}, mean {statistics.mean(gaps):.2f},"
            f" worst {max(gaps):.2f}\n"
        )


if __name__ == "__main__":
    main()
