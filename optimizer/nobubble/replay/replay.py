"""Replaying a schedule many times over."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.replaying import replay_order
from nobubble.errors import InputError, VerificationError
from nobubble.problem import Problem
from nobubble.profile.reading import parse_profile
from nobubble.replay.graph import Graph
from nobubble.replay.noise import Noise
from nobubble.schedule.document import ScheduleDocument
from nobubble.schedule.order_of import order_of
from nobubble.timing import time_of
from nobubble.verifier.verify import verify

MOST_SAMPLES: Final = 10**6
HIGHEST_SEED: Final = 2**63 - 1

# The deviations that the kernel draws have this standard deviation.
_UNIT: Final = math.sqrt((2**32 - 1) / 3)
# Ops and transfers of an iteration take 10**15 ns at most, and noise makes no more than 40 times
# that: the sums over so many samples fit into 64 bits.
_LARGEST_BATCH: Final = 128
_OPS_A_BATCH: Final = 2**24


@dataclass(frozen=True, slots=True)
class Replay:
    """What the order of a schedule costs, over samples of noise.

    Attributes
    ----------
    plan, plan_work : int
        The cost without noise, and the busiest rank's op times, in ns.
    cost : ndarray of int64, shape (N,)
        The value of the objective in every sample, in ns.
    work : ndarray of int64, shape (N,)
        The busiest rank's op times in every sample, in ns: no order of the same ops costs less.
    critical_ranks : tuple of float, shape (p,)
        The part of the cost that lies in the ops of every rank, over all samples. It is the
        elasticity of the cost: were all ops of a rank 1 % longer, the cost would rise by this many
        per cent. For rank span a rank may have less than nothing: what delays the first start of
        the rank that decides shortens its span.
    critical_kinds : tuple of float, shape (5,)
        The same for F, B, W, BW and communication. The sum is 1; that over ranks is 1 less the
        part of communication. All are 0 when the cost is.
    """

    plan: int
    plan_work: int
    cost: NDArray[np.int64]
    work: NDArray[np.int64]
    critical_ranks: tuple[float, ...]
    critical_kinds: tuple[float, ...]


def replay(
    document: ScheduleDocument,
    noise: Noise,
    *,
    samples: int = 1000,
    seed: int = 0,
    progress: Callable[[str], None] | None = None,
) -> Replay:
    """Time the order of a schedule many times over, every time with other op and transfer times.

    Every rank keeps to its order, and starts every op as soon as it is free and the input has
    arrived. The same document, noise and seed give the same numbers on any machine. An op of a
    sample has the same factor in all schedules of a profile, so that two of them are compared
    under the same conditions.

    Parameters
    ----------
    document : ScheduleDocument
        Of the right shape; it is verified first.
    noise : Noise
    samples : int
        How often, from 1 to MOST_SAMPLES.
    seed : int
        From 0 to HIGHEST_SEED.
    progress : callable, optional
        Takes a line of text now and then.

    Raises
    ------
    VerificationError
        The schedule is not valid.
    InputError
        A number is out of its range, or a slow rank is not one of the schedule's.
    """
    if not 1 <= samples <= MOST_SAMPLES:
        raise InputError(f"samples: {samples} is not between 1 and {MOST_SAMPLES}")
    if not 0 <= seed <= HIGHEST_SEED:
        raise InputError(f"seed: {seed} is not between 0 and {HIGHEST_SEED}")
    findings = verify(document)
    if findings:
        raise VerificationError(findings)
    problem = Problem.of(parse_profile(document["profile"]))
    for rank in noise.slow:
        if not 0 <= rank < problem.ranks:
            raise InputError(
                f"slow rank {rank}: the schedule has no such rank; they are 0 to "
                f"{problem.ranks - 1}"
            )
    order = order_of(document)
    timing = time_of(problem, order)
    lasts = timing.end - timing.start
    plan_work = np.add.reduceat(lasts, order.offsets[:-1]).max()
    graph = Graph.of(problem, order, timing)
    slowed = slow_down(problem, noise)

    cost = np.empty(samples, dtype=np.int64)
    work = np.empty(samples, dtype=np.int64)
    of_rank = np.empty(problem.ranks, dtype=np.int64)
    of_kind = np.empty(5, dtype=np.int64)
    ranks, kinds = [0] * problem.ranks, [0] * 5
    batch = min(_LARGEST_BATCH, max(1, _OPS_A_BATCH // len(graph.letters)))
    for first in range(0, samples, batch):
        if progress is not None:
            progress(f"replaying: {first} of {samples} samples")
        replay_order(
            graph.letters,
            graph.before,
            graph.source,
            graph.latency,
            graph.number,
            graph.outermost,
            slowed.rank_of,
            slowed.time,
            noise.op / _UNIT,
            noise.rank / _UNIT,
            seed,
            first,
            problem.objective == "rank_span",
            cost[first : first + batch],
            work[first : first + batch],
            of_rank,
            of_kind,
        )
        ranks = [total + part for total, part in zip(ranks, of_rank.tolist(), strict=True)]
        kinds = [total + part for total, part in zip(kinds, of_kind.tolist(), strict=True)]
    whole = sum(kinds)
    return Replay(
        plan=timing.cost(problem),
        plan_work=int(plan_work),
        cost=cost,
        work=work,
        critical_ranks=tuple(part / whole if whole else 0.0 for part in ranks),
        critical_kinds=tuple(part / whole if whole else 0.0 for part in kinds),
    )


def slow_down(problem: Problem, noise: Noise) -> Problem:
    """Give the problem with the ops of slow ranks as much longer as they are slower."""
    time = problem.time.copy()
    for rank, slowdown in noise.slow.items():
        here = problem.rank_of == rank
        time[here] += np.rint(time[here] * slowdown).astype(np.int64)
    return replace(problem, time=time)
