"""List scheduling under many settings of its rules, the best of all."""

from __future__ import annotations

from itertools import islice
from typing import Final

import numpy as np

from nobubble.compiled.list_scheduling import list_schedule
from nobubble.order import Order
from nobubble.problem import Problem
from nobubble.profile.model import Profile
from nobubble.solvers.memory import rank_needs, require_feasible
from nobubble.solvers.one_at_a_time import one_at_a_time
from nobubble.solvers.rules import FIRST, backward_modes, settings
from nobubble.solvers.solution import Solution, merit
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
    p, m, stages = problem.ranks, problem.microbatches, problem.stages
    stage_list = np.argsort(problem.rank_of, kind="stable").astype(np.int64)
    stages_of_rank = np.bincount(problem.rank_of, minlength=p)
    stage_offsets = np.concatenate([[0], np.cumsum(stages_of_rank)]).astype(np.int64)
    needs = [rank_needs(problem, rank) for rank in range(p)]
    if any(of_rank.need[0] > room for of_rank, room in zip(needs, problem.capacity, strict=True)):
        # Only with W's put off does a microbatch fit, which the list scheduler does not plan for.
        serial = one_at_a_time(problem)
        return [] if serial is None else [Solution.of("greedy", problem, serial)]
    need = np.concatenate([of_rank.need for of_rank in needs])
    held = np.concatenate([of_rank.held for of_rank in needs])
    letters = np.empty(3 * m * stages, dtype=np.int32)
    counts = np.empty(p, dtype=np.int64)
    of_rank = np.empty((3, p), dtype=np.int64)

    modes = len(backward_modes(problem))
    passes = max(FIRST * modes, WORK // (3 * m * stages))
    best: dict[tuple[int, int], Order] = {}
    for number, setting in enumerate(islice(settings(problem), passes), start=1):
        if watch.is_over():
            break
        left = list_schedule(
            stage_list,
            stage_offsets,
            m,
            problem.rank_of,
            problem.time,
            problem.memory,
            problem.workspace,
            problem.forward_latency,
            problem.backward_latency,
            problem.capacity,
            need,
            held,
            setting.cap.of(problem),
            setting.rule.lag_of(problem),
            setting.backward_mode,
            setting.rule.gap_eighths,
            setting.interval,
            letters,
            counts,
            of_rank,
        )
        if left > 0:
            continue

        def order() -> Order:
            starts = 3 * m * stage_offsets[:-1]
            return Order.of(
                letters[at : at + count] for at, count in zip(starts, counts, strict=True)
            )

        if setting.interval > 0:
            # The order counts, not when it was made: its ops can start earlier than they did.
            timing = time_of(problem, order())
            this = merit(problem, timing.makespan, timing.rank_span)
        else:
            start, end, _ = of_rank
            this = merit(problem, int(end.max() - start.min()), int((end - start).max()))
        if this not in best and (len(best) < BEST or this < max(best)):
            best[this] = order()
            if len(best) > BEST:
                del best[max(best)]
            watch.report(f"greedy: pass {number} of at most {passes}")
    return [Solution.of("greedy", problem, best[key]) for key in sorted(best)]
