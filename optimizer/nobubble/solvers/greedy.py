"""List scheduling under many settings of its rules, the best of all."""

from __future__ import annotations

from itertools import islice
from typing import Final

from nobubble.problem import Problem
from nobubble.profile.model import Profile
from nobubble.solvers.list_scheduler import Due, ListScheduler, Rules
from nobubble.solvers.memory import require_feasible
from nobubble.solvers.one_at_a_time import one_at_a_time
from nobubble.solvers.rules import FIRST, backward_modes, settings
from nobubble.solvers.shortlist import Shortlist
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch
from nobubble.timing import time_of

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
    scheduler = ListScheduler(problem)
    if not scheduler.can_run:
        serial = one_at_a_time(problem)
        return [] if serial is None else [Solution.of("greedy", problem, serial)]
    best = Shortlist(problem, BEST)
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
        if not scheduler.run(rules):
            continue
        if setting.interval > 0:
            # The order counts, not when it was made: its ops can start earlier than they did.
            timing = time_of(problem, scheduler.order())
            costs = timing.makespan, timing.rank_span
        else:
            costs = scheduler.costs()
        if best.offer(*costs, scheduler.order):
            watch.report(f"greedy: pass {number} of at most {most}")
    return best.solutions("greedy")
