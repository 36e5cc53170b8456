"""The bound of a path through the pipeline and the work of one rank on it."""

from __future__ import annotations

from nobubble.bounds.figures import Figures
from nobubble.bounds.room import Room, most_value
from nobubble.problem import Problem


def chain(problem: Problem) -> int:
    """Bound the cost by the way to a stage, the work of its rank there, and the way back, in ns.

    Holds on any placement and for every way of running backward.

    Proof
    -----
    Take stages i <= k. Microbatch 0 runs F from i to k. Between the start of the first F of k and
    the end of the last backward of k, its rank runs every F and backward of k, and of the rank's
    stages above k too, for a microbatch goes up from k and comes back to it in between. It also
    runs the W's that cannot wait until later: see `late_weight`. From there the last microbatch's
    backward goes back to i, where what is left of it takes W'.

    Rank span: this is time between ops of i's rank. Makespan: stage i cannot start before its head.
    """
    figures, room = Figures.of(problem), Room.of(problem)
    m = problem.microbatches
    within = [0] * problem.stages
    for rank, stages in enumerate(figures.stages_on):
        for place, k in enumerate(stages):
            work = m * sum(figures.forward[s] + figures.whole[s] for s in stages[place:])
            within[k] = work - late_weight(figures, room, rank, place, m)
    return through(problem, figures, within)


def late_weight(figures: Figures, room: Room, rank: int, place: int, m: int) -> int:
    """Bound the W time that can come after the last backward of a stage, in ns.

    Of that stage, the rank's `place`-th, and of the rank's stages above it. When that backward
    starts, every F of the rank's stages up to it has been run, and their last microbatches hold M_F
    each; with what the backward needs itself, the rest of the capacity is room for pending W's.
    A W that is put off saves W': its microbatch has then taken at least B' so far.

    Returns
    -------
    int
        The W of the last microbatch of the stage included.
    """
    stages = figures.stages_on[rank]
    k = stages[place]
    counts = [m - 1] + [m] * (len(stages) - place - 1)
    pieces = [
        (room.pending[s], figures.weight[s], most)
        for s, most in zip(stages[place:], counts, strict=True)
    ]
    capacity = room.capacity[rank]
    if capacity is None:
        pending = sum(value * most for _, value, most in pieces)
    else:
        held = sum(room.held[s] for s in stages[: place + 1])
        pending = most_value(capacity - held - room.start_backward[k], pieces)
    return pending + figures.weight[k]


def through(problem: Problem, figures: Figures, within: list[int]) -> int:
    """Give the longest chain from a stage i to a stage k >= i and back, in ns.

    Parameters
    ----------
    problem : Problem
    figures : Figures
    within : list of int, length S
        The least time from the first start of an F of k to the last end of a backward of k, in ns.

    Returns
    -------
    int
        The maximum over i <= k of: the way from i to k, ``within[k]``, the way back, and W' of
        i; and for makespan the head of i.
    """
    makespan = problem.objective == "makespan"
    longest = farthest = 0
    for i in reversed(range(problem.stages)):
        reach = figures.head[i] + within[i] + figures.back[i]
        farthest = max(farthest, reach)
        before = figures.back[i] + (0 if makespan else figures.head[i])
        longest = max(longest, farthest - before + figures.weight[i])
    return longest
