"""The grain of a problem's times, and how long any of its schedules can last."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nobubble.problem import BW, B, F, Problem, W


def allowed_kinds(problem: Problem) -> NDArray[np.bool_]:
    """Say which kinds of op every stage may run, shape (S, 4)."""
    allowed = np.ones_like(problem.time, dtype=np.bool_)
    allowed[:, [B, W]] = problem.may_split[:, None]
    allowed[:, BW] = problem.may_fuse
    return allowed


def time_unit(problem: Problem) -> int:
    """Give the greatest common divisor of all times and latencies, 1 where all are zero, in ns.

    Every cost is a multiple of it.
    """
    times = problem.time[allowed_kinds(problem)]
    latencies = (problem.forward_latency, problem.backward_latency)
    return int(np.gcd.reduce(np.concatenate((times, *latencies)))) or 1


def longest(problem: Problem) -> int:
    """Give what no schedule with every op at its earliest start can exceed.

    The last end is the length of a path through the order, which visits every op once.
    """
    split = np.where(problem.may_split, problem.time[:, B] + problem.time[:, W], 0)
    fused = np.where(problem.may_fuse, problem.time[:, BW], 0)
    latency = problem.forward_latency + problem.backward_latency
    one = problem.time[:, F] + np.maximum(split, fused) + latency
    return problem.microbatches * int(one.sum())
