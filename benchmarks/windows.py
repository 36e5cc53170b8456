"""Whether improving slices with CP-SAT helps: beside as much more annealing, in wall time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from benchmarks.tables import print_table
from nobubble.bounds.best import best_bound
from nobubble.problem import Problem
from nobubble.profile.model import Objective, Profile
from nobubble.profile.reading import read_profile
from nobubble.solvers.greedy import greedy
from nobubble.solvers.search.search import search
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch
from nobubble.solvers.windows import improve_windows

NAMES: Final[tuple[tuple[str, Objective, float | None], ...]] = (
    ("measured-p8", "makespan", 4960),
    ("zero-bubble-6.2b-m24-1x", "makespan", 0.75),
    ("zero-bubble-6.2b-m24-1x", "makespan", 0.5),
    ("zero-bubble-1.5b-m32-2x", "rank_span", None),
    ("zero-bubble-6.2b-m24-2x", "rank_span", None),
    ("zero-bubble-14.6b-m48-2x", "rank_span", None),
)
WORK = 10.0
"""Deterministic seconds for the windows."""
BEFORE = 100_000_000
"""Ops timed by the search before."""


def profiles() -> Iterator[tuple[str, Profile]]:
    """Give the profiles, with their memory limits changed."""
    for name, objective, limit in NAMES:
        profile = read_profile(f"profiles/{name}.json")
        limits = profile.memory_limit
        if limit is not None and limit < 1:
            limits = tuple(None if one is None else int(one * limit) for one in limits)
        elif limit is not None:
            limits = (int(limit) * 10**6,) * profile.ranks
        yield (
            f"{name}, {objective}, {limit}",
            replace(profile, objective=objective, memory_limit=limits),
        )


def main() -> None:
    """Print the table."""
    rows = []
    for name, profile in profiles():
        problem = Problem.of(profile)
        bound = best_bound(problem).value
        watch = Watch()
        found = list(greedy(profile, problem, watch))
        search(problem, list(found), watch, bound=bound, work=BEFORE, seed=0, found=found.append)
        best = min(found, key=lambda one: one.rank_of_merit(problem))
        begin = time.perf_counter()
        better: list[Solution] = [best]
        improve_windows(problem, best, watch, bound=bound, work=WORK, seed=0, found=better.append)
        taken = time.perf_counter() - begin
        more = list(found)
        search(
            problem, more[-40:], Watch(taken), bound=bound, work=10**12, seed=1, found=more.append
        )
        costs = [min(one.timing.cost(problem) for one in each) for each in ([best], better, more)]
        gaps = [f"{(cost - bound) / cost:.3%}" for cost in costs]
        rows.append([name, *gaps, f"{taken:.1f} s"])
        print_table(["profile", "before", "windows", "more search", "time for each"], rows[-1:])
    print_table(["profile", "before", "windows", "more search", "time for each"], rows)


if __name__ == "__main__":
    main()
