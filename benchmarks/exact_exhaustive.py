"""Hold CP-SAT and MILP against every schedule of hundreds of random tiny problems.

    python -m benchmarks.exact_exhaustive --problems 300

At most 3 ranks and 3 microbatches, mixed placements, memory limits, split and fused backward, both
objectives. Both solvers should prove the cost of exhaustive search, without a start and from the
other's schedule. Prints what it saw; exits 1 when a claim is wrong.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from itertools import islice

from nobubble.bounds.best import best_bound
from nobubble.problem import UNLIMITED, Problem
from nobubble.solvers.outcome import Outcome
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch
from tests.bounds.exhaustive import NEVER
from tests.exact.problems import ENOUGH, SOLVERS, tiny_problems


def main() -> int:
    """Run the study; give the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--problems", type=int, default=300, help="how many (300)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ops", type=int, default=30, help="most F's, B's and W's (30)")
    parser.add_argument("--late", action="store_true", help="only ranks that may begin late")
    options = parser.parse_args()
    count: Counter[str] = Counter()
    seconds = dict.fromkeys(SOLVERS, 0.0)
    problems = tiny_problems(options.seed, most_ops=options.ops, begins_late=options.late)
    for problem, optimum in islice(problems, options.problems):
        count["problems"] += 1
        _describe(problem, optimum, count)
        start, bound = None, 0
        for name, solver in SOLVERS.items():
            begun = time.monotonic()
            outcome = solver(problem, Watch(), start=None, bound=0, work=ENOUGH[name])
            seconds[name] += time.monotonic() - begun
            _compare(name, problem, outcome, optimum, count)
            if optimum < NEVER:
                outcome = solver(problem, Watch(), start=start, bound=bound, work=ENOUGH[name])
                _compare(f"{name}, warm", problem, outcome, optimum, count)
                start, bound = outcome.solution, min(best_bound(problem).value, optimum)
    for what, number in count.items():
        print(f"{number:7,} {what}")
    for name, total in seconds.items():
        print(f"{total:7.1f} s for {name}")
    return 1 if any(what.startswith("WRONG") for what in count) else 0


def _describe(problem: Problem, optimum: int, count: Counter[str]) -> None:
    count[f"for {problem.objective}"] += 1
    count["with memory limits"] += bool((problem.capacity < UNLIMITED).any())
    count["with stages that may fuse"] += bool(problem.may_fuse.any())
    count["with several stages a rank"] += problem.stages > problem.ranks
    count["without any schedule"] += optimum == NEVER


def _compare(
    name: str, problem: Problem, outcome: Outcome, optimum: int, count: Counter[str]
) -> None:
    """Count whether an outcome proves the optimum; print it where it says what is not so."""
    solution: Solution | None = outcome.solution
    cost = NEVER if solution is None else solution.timing.cost(problem)
    is_wrong = (outcome.lower_bound or 0) > optimum or (
        cost != optimum if outcome.stopped_by == "proof" else cost < optimum
    )
    if is_wrong:
        count[f"WRONG by {name}"] += 1
        print(f"{name}: {outcome}, but the optimum is {optimum}: {problem}", file=sys.stderr)
    count[f"with the optimum found by {name}"] += cost == optimum
    count[f"with the optimum proved by {name}"] += outcome.stopped_by == "proof"


if __name__ == "__main__":
    sys.exit(main())
