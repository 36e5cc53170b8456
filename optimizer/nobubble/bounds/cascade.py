"""The bound of first backwards that wait for one another, each for a whole number of F's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from nobubble.bounds.chain import late_weight
from nobubble.bounds.figures import Figures
from nobubble.bounds.room import Room
from nobubble.bounds.warm_up import forwards_before_backward
from nobubble.problem import Problem


@dataclass(frozen=True, slots=True)
class _Rank:
    """What a rank does until its first backward.

    Attributes
    ----------
    start : int
        The earliest start of its first op, in ns.
    needed : int
        The cost that its work needs without any idle time before its first backward, in ns.
    unit, most : int
        F's before its first backward take a multiple of `unit`, and at most `most`, in ns.
    way : int
        From the start of the first backward of the rank before it in the cascade (for the first:
        from time 0) to the earliest start of its own, in ns.
    """

    start: int
    needed: int
    unit: int
    most: int
    way: int


def cascade(problem: Problem) -> int | None:
    """Bound the cost by the idle time that whole F's leave before first backwards, in ns.

    Holds for every way of running backward, and on any placement for makespan; for rank span where
    the first p stages are on p ranks. None elsewhere.

    Proof
    -----
    Suppose that a schedule costs C. Every rank then has a window of time for all its ops: from its
    head, the earliest start of its first op, to C. For rank span it has the length C, for the first
    op of a rank starts at its head exactly, where nothing can run before it on any rank. What the
    window leaves beside the rank's work and its idle time after its last backward (below) is the
    most that it may idle before its first backward: its budget.

    *Before its first backward*, which is one of its highest stage, a rank runs only F's, as many as
    memory allows. They take a multiple of the greatest common divisor of its F times. If that
    backward starts at t after the head, they take t - budget or more, so the next multiple from
    there up; and t is at least that multiple. Where it does not fit into memory, no schedule costs
    C.

    *From rank to rank.* Where another rank's highest stage is higher, the microbatch of that
    backward has been backward there, not before the first that was. So t is also at least the start
    of that rank's first backward and the way from there. Going down the highest stages gives the
    earliest t of every rank. A smaller budget only makes them later: the lowest C that is not
    excluded is found by halving.

    *After its last backward*, which is one of its lowest stage a, a rank runs only W's, those for
    which memory has room: see `late_weight`. To the lowest stage i <= a of every rank it is
    followed by the way back and W' of i before the window of that rank ends. What of the time from
    there to the end of its own window W's cannot fill is idle.

    Takes time of order p * log(cost).
    """
    figures, room = Figures.of(problem), Room.of(problem)
    if problem.objective == "rank_span":
        lowest = sorted(stages[0] for stages in figures.stages_on)
        if lowest != list(range(problem.ranks)):
            return None
    ranks = _ranks(problem, figures, room)
    low = max(rank.needed for rank in ranks)
    # With a budget for the whole way no F is needed.
    high, reached = low, 0
    for rank in ranks:
        reached += rank.way
        high = max(high, rank.needed + reached - rank.start)
    while low < high:
        middle = (low + high) // 2
        if _is_excluded(ranks, middle):
            low = middle + 1
        else:
            high = middle
    return low


def _ranks(problem: Problem, figures: Figures, room: Room) -> list[_Rank]:
    """Give the ranks, from that of the last stage down their highest stages."""
    m = problem.microbatches
    tails = _idle_after_backward(problem, figures, room)
    order = sorted(range(problem.ranks), key=lambda r: figures.stages_on[r][-1], reverse=True)
    ranks = []
    above = None
    for r in order:
        stages = figures.stages_on[r]
        highest, start = stages[-1], figures.head[stages[0]]
        if above is None:
            way = figures.head[highest] + figures.forward[highest]
        else:
            way = figures.backward[above] + figures.back[above]
            way -= figures.back[highest] + figures.backward[highest]
        above = highest
        needed = figures.work(r, m) + tails[r]
        ranks.append(
            _Rank(
                start=start,
                needed=needed + (start if problem.objective == "makespan" else 0),
                unit=gcd(*(figures.forward[s] for s in stages)),
                most=forwards_before_backward(figures, room, r, m, m),
                way=way,
            )
        )
    return ranks


def _is_excluded(ranks: Sequence[_Rank], cost: int) -> bool:
    """Tell whether first backwards come too late for a cost."""
    first = 0
    for rank in ranks:
        first += rank.way
        forwards = first - rank.start - (cost - rank.needed)
        if forwards > 0:
            if rank.unit == 0:
                return True
            forwards = -(-forwards // rank.unit) * rank.unit
            if forwards > rank.most:
                return True
            first = max(first, rank.start + forwards)
    return False


def _idle_after_backward(problem: Problem, figures: Figures, room: Room) -> list[int]:
    """Bound the idle time of every rank from its last backward to the end of its window, in ns."""
    makespan = problem.objective == "makespan"
    idle = [0] * problem.ranks
    farthest = None
    for r in sorted(range(problem.ranks), key=lambda r: figures.stages_on[r][0]):
        lowest = figures.stages_on[r][0]
        reach = figures.back[lowest] + (0 if makespan else figures.head[lowest])
        end = figures.weight[lowest] - reach
        farthest = end if farthest is None else max(farthest, end)
        late = late_weight(figures, room, r, 0, problem.microbatches)
        idle[r] = max(0, reach + farthest - late)
    return idle
