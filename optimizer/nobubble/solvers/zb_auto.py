"""The heuristic of the Zero Bubble paper (arXiv 2401.10241, section 3.1), with all its settings."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np

from nobubble.compiled.zb_auto import zb_auto as run_heuristic
from nobubble.errors import MethodError
from nobubble.named.placements import require_linear
from nobubble.order import Order
from nobubble.problem import Problem
from nobubble.profile.model import Profile
from nobubble.solvers.memory import require_feasible
from nobubble.solvers.solution import Solution, merit
from nobubble.solvers.watch import Watch


def zb_auto(profile: Profile, problem: Problem, watch: Watch) -> Solution | None:
    """Give the best of the eight settings of the heuristic's three switches, or None out of time.

    Raises
    ------
    MethodError
        The placement is not linear, or a stage may not split its backward.
    InfeasibleError
        A rank has no memory for one microbatch with split backward.
    """
    require_linear(problem, "zb-auto")
    fused = np.flatnonzero(~problem.may_split)
    if len(fused):
        raise MethodError(
            f'zb-auto splits every backward, but stage {fused[0]} has "backward": "fused". '
            "Take --method auto, or let the stage split."
        )
    split_only = replace(problem, may_fuse=np.zeros_like(problem.may_fuse))
    require_feasible(profile, split_only, smallest_is="that zb-auto can do")
    letters = np.empty((problem.stages, 3 * problem.microbatches), dtype=np.int32)
    of_rank = np.empty((3, problem.ranks), dtype=np.int64)
    best, best_merit = None, None
    switches = product((False, True), repeat=3)
    for number, (bubble, b_first, fill) in enumerate(switches, start=1):
        if watch.is_over():
            break
        run_heuristic(
            problem.time,
            problem.memory,
            problem.workspace,
            problem.forward_latency,
            problem.backward_latency,
            problem.capacity,
            bubble,
            b_first,
            fill,
            letters,
            of_rank,
        )
        start, end, peak = of_rank
        this = merit(problem, int(end.max() - start.min()), int((end - start).max()))
        if (peak <= problem.capacity).all() and (best_merit is None or this < best_merit):
            best, best_merit = letters.copy(), this
            watch.report(f"zb-auto {number}/8")
    return None if best is None else Solution.of("zb-auto", problem, Order.of(best))
