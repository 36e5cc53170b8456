"""Hold the lower bounds against every schedule of many thousands of random tiny problems.

    python -m benchmarks.bounds_exhaustive --seconds 600

Every problem is searched for a schedule below its best bound, and then for the cheapest one. Prints
how often every bound is the cost of the cheapest; exits 1 when a schedule is below a bound.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter

from nobubble.bounds.best import best_bound, lower_bounds
from tests.bounds.exhaustive import NEVER, cheapest
from tests.bounds.instances import random_problem


def main() -> int:
    """Run the study; give the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="for how long (600)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--ops", type=int, default=36, help="most F's, B's and W's (36)")
    parser.add_argument("--steps", type=int, default=300_000, help="of one search (300,000)")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    until = time.monotonic() + options.seconds
    count: Counter[str] = Counter()
    applies: Counter[str] = Counter()
    tight: Counter[str] = Counter()
    while time.monotonic() < until:
        objective = rng.choice(("makespan", "rank_span"))
        problem = random_problem(rng, objective, most_ops=options.ops)  # type: ignore[arg-type]
        bounds, best = lower_bounds(problem), best_bound(problem)
        count["problems"] += 1
        below = cheapest(problem, below=best.value, steps=options.steps)
        if below.cost < NEVER:
            print(f"a schedule of {below.cost} ns is below {bounds}: {problem}", file=sys.stderr)
            count["violations"] += 1
            continue
        count["searched in full below the best bound"] += below.complete
        found = cheapest(problem, enough=best.value, steps=options.steps)
        # At the best bound it is the cheapest only if nothing is below.
        if not (found.complete and below.complete):
            continue
        if found.cost == NEVER:
            count["without any schedule"] += 1
            continue
        count["cheapest schedule known"] += 1
        count["best bound tight"] += best.value == found.cost
        for bound in bounds:
            applies[bound.name] += 1
            tight[bound.name] += bound.value == found.cost
    for name, number in count.items():
        print(f"{number:9,} {name}")
    print(f"{count['violations']:9,} violations")
    for name, number in applies.items():
        print(f"{name:10} tight in {tight[name]:9,} of {number:9,} ({tight[name] / number:.1%})")
    return 1 if count["violations"] else 0


if __name__ == "__main__":
    sys.exit(main())
