"""ZB-V: two chunks a rank, placed as a V, in the memory of 1F1B (arXiv 2401.10241, section 6)."""

from __future__ import annotations

from itertools import product

import numpy as np

from nobubble.compiled.zb_v import zb_v as build
from nobubble.named.placements import require_v
from nobubble.order import Order
from nobubble.problem import Problem


def zb_v(problem: Problem) -> Order:
    """Build ZB-V greedily, as its authors do, for the mean times of all stages and links.

    After a warm-up of F's, rounds of one B and one F on every rank; W's fill gaps, or make room
    where 2p F's are held. Of four settings (whether a W may delay an F, and a B that goes down the
    ranks) the one counts in which the rank that idles most idles least.

    Raises
    ------
    MethodError
        The placement is not V.
    """
    require_v(problem, "zb-v")
    time = np.broadcast_to(problem.time.mean(axis=0).round(), problem.time.shape)
    time = np.ascontiguousarray(time, dtype=np.int64)
    forward_latency, backward_latency = (
        np.full(problem.stages, round(latency.sum() / max(1, 2 * problem.ranks - 2)), np.int64)
        for latency in (problem.forward_latency, problem.backward_latency)
    )
    best, least = None, -1
    for fill_backward, fill_forward in product((True, False), repeat=2):
        letters = np.empty((problem.ranks, 6 * problem.microbatches), dtype=np.int32)
        idle = build(
            time,
            forward_latency,
            backward_latency,
            problem.microbatches,
            fill_forward,
            fill_backward,
            letters,
        )
        if idle >= 0 and (best is None or idle < least):
            best, least = letters, idle
    assert best is not None
    return Order.of(best)
