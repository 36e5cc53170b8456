"""List scheduling under many settings of its rules, the best of all."""

from __future__ import annotations

from itertools import islice
from typing import Final

from nobubble.problem import Problem
from nobubble.profile.model import Profile
from nobubble.solvers.memory import require_feasible
from nobubble.solvers.one_at_a_time import one_at_a_time
from nobubble.solvers.passes import Due, Passes, Rules
from nobubble.solvers.rules import FIRST, backward_modes, settings
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch

WORK: Final = 3_000_000
"""Ops to place in all passes together, once the first settings have had theirs."""

BEST: Final = 4
"""How many schedules to keep, for a search to start from."""


def greedy(profile: Profile, problem: Problem, watch: Watch) -> list[Solution]:
    """Give the best schedules of the list scheduler: at most BEST, of different cost, best first.

    The first settings always run, further ones while the number of ops placed in all is under
    WORK: so what comes out does not depend on the machine. None when the time is up before the
    first.

    Raises
    ------
    InfeasibleError
        A rank has no memory for one microbatch.
    """
    require_feasible(profile, problem)
    passes = Passes(problem, BEST)
    if not passes.can_run:
        serial = one_at_a_time(problem)
        return [] if serial is None else [Solution.of("greedy", problem, serial)]
    due = Due.oldest_first(problem)
    modes = len(backward_modes(problem))
    most = max(FIRST * modes, WORK // (3 * problem.microbatches * problem.stages))
    for number, setting in enumerate(islice(settings(problem), most), start=1):
        if watch.is_over():
            break
        rules = Rules(
            cap=setting.cap.of(problem),
            weight_lag=setting.rule.lag_of(problem),
            backward_mode=setting.backward_mode,
            gap_eighths=setting.rule.gap_eighths,
            hold_eighths=0,
            interval=setting.interval,
            due=due,
        )
        if passes.run(rules):
            watch.report(f"greedy: pass {number} of at most {most}")
    return passes.solutions("greedy")
