"""Problems for the exact solvers, and the solvers by name."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, Protocol

from nobubble.problem import Problem
from nobubble.profile.model import Objective
from nobubble.solvers.cpsat import cpsat
from nobubble.solvers.first_starts import constant_first_starts
from nobubble.solvers.greedy import greedy
from nobubble.solvers.milp import milp
from nobubble.solvers.outcome import Outcome
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch
from tests.bounds.exhaustive import NEVER, cheapest
from tests.bounds.instances import random_problem
from tests.published import case_profile, search_cases


class Solver(Protocol):
    """What the exact solvers have in common."""

    def __call__(
        self, problem: Problem, watch: Watch, *, start: Solution | None, bound: int, work: float
    ) -> Outcome:
        """Solve a problem."""


SOLVERS: Final[dict[str, Solver]] = {"cpsat": cpsat, "milp": milp}
ENOUGH: Final = {"cpsat": 30.0, "milp": 30_000.0}
"""Work in which nearly every tiny problem is solved, in each solver's own measure."""


def tiny_problems(
    seed: int, *, most_ops: int = 27, begins_late: bool = False
) -> Iterator[tuple[Problem, int]]:
    """Draw problems of at most 3 ranks and 3 microbatches with their optima (NEVER for none).

    Parameters
    ----------
    seed : int
    most_ops : int
        F's, B's and W's of a problem.
    begins_late : bool
        Only rank span, and only where the order decides when some rank begins.
    """
    rng = random.Random(seed)
    while True:
        objective: Objective = "rank_span" if begins_late else rng.choice(("makespan", "rank_span"))
        problem = random_problem(rng, objective, most_ops=most_ops)
        if problem.microbatches > 3:
            continue
        if begins_late and None not in constant_first_starts(problem):
            continue
        found = cheapest(problem)
        if found.complete:
            yield problem, found.cost


def optimum_of(outcome: Outcome, problem: Problem) -> int:
    """Give the cost that an outcome proves optimal; NEVER where it proves that there is none."""
    assert outcome.stopped_by == "proof"
    return NEVER if outcome.solution is None else outcome.solution.timing.cost(problem)


def hard_problem(microbatches: int) -> tuple[Problem, Solution]:
    """Give eight ranks that no solver proves in minutes, and a schedule that is not the best."""
    (case,) = [case for case in search_cases() if case["id"] == "c33"]
    profile = replace(case_profile(case, "makespan"), microbatches=microbatches)
    problem = Problem.of(profile)
    found = greedy(profile, problem, Watch())
    return problem, min(found, key=lambda solution: solution.rank_of_merit(problem))
