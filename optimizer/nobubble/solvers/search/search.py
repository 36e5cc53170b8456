"""Annealing in rounds, from the best schedules at hand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from nobubble.problem import Problem
from nobubble.solvers.search.round import anneal_round
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch

COOLING: Final = ((0.3, 0.003), (0.1, 0.002), (0.04, 0.001), (0.02, 0.001))
"""Mean thresholds of the rounds of a cycle, hot and cold, in mean times of an op.

Measured on the hard search cases, on 6.2B at a quarter to 15/16 of 1F1B's memory, and on cells of
the paper's table at twice that: four rounds that start ever cooler do better than one long round,
than more and shorter ones, and than rounds that all start as hot.
"""

PER_OP: Final = 10_000
"""Work of a cycle for every op of the problem, below which the hotter half of the rounds is left
out: what they spoil, too little work is left to mend."""

RUNNERS: Final = 4
"""How many starts have a heat."""

CYCLE: Final = 40_000_000
"""Work of a cycle, in ops timed, where the budget is for several: some two seconds."""


def search(
    problem: Problem,
    starts: Sequence[Solution],
    watch: Watch,
    *,
    bound: int,
    work: int,
    seed: int,
    found: Callable[[Solution], None],
) -> None:
    """Look for better schedules by annealing.

    Half of the first cycle goes into heats: short, cool rounds from the best start of every method
    and others; the better start does not always lead to the better end. The rest begins at the best
    of them; of the following cycles every other at the next best start, the rest at the best
    schedule so far.

    Parameters
    ----------
    starts : sequence of Solution
        At least one; none over a rank's capacity.
    bound : int
        No schedule costs less, in ns: stop there.
    work : int
        The budget, in ops timed.
    seed : int
    found : callable
        Is given every schedule that is better than all before.
    """
    ranked = sorted(starts, key=lambda solution: solution.rank_of_merit(problem))
    best = ranked[0]
    others = [s for s in ranked[1:] if s.timing.cost(problem) > best.timing.cost(problem)]
    cycles = max(1, work // CYCLE)
    ops = 3 * problem.stages * problem.microbatches
    rounds = COOLING if work // cycles >= PER_OP * ops else COOLING[len(COOLING) // 2 :]
    runners = _runners(ranked)
    a_cycle = work // cycles
    used = 0  # seeds

    def cool(current: Solution, schedule: Sequence[tuple[float, float]], share: int) -> None:
        """Anneal round after round."""
        nonlocal best, used
        for hot, cold in schedule:
            if best.timing.cost(problem) <= bound or watch.is_over():
                return
            used += 1
            current = anneal_round(
                problem,
                current,
                watch,
                target=bound,
                work=share // len(schedule),
                hot=hot,
                cold=cold,
                seed=seed * (cycles + 1) * RUNNERS * len(COOLING) + used,
            )
            if current.rank_of_merit(problem) < best.rank_of_merit(problem):
                best = current
                found(best)

    if len(runners) > 1:
        for runner in runners:
            cool(runner, COOLING[len(COOLING) // 2 :], a_cycle // (2 * len(runners)))
    for cycle in range(cycles):
        if best.timing.cost(problem) <= bound or watch.is_over():
            return
        if cycles > 1:
            watch.report(f"search: cycle {cycle + 1} of {cycles}")
        share = a_cycle // 2 if cycle == 0 and len(runners) > 1 else a_cycle
        cool(others.pop(0) if cycle % 2 == 1 and others else best, rounds, share)


def _runners(ranked: Sequence[Solution]) -> list[Solution]:
    """Give the starts of the heats, at most RUNNERS: the best of every method, then others."""
    first: dict[str, Solution] = {}
    for solution in ranked:
        first.setdefault(solution.method, solution)
    best = list(first.values())
    others = [solution for solution in ranked if all(solution is not b for b in best)]
    return (best + others)[:RUNNERS]
