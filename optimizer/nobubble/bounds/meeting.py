"""The bound of microbatches that meet on their ways up and back."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from nobubble.bounds.chain import through
from nobubble.bounds.figures import Figures
from nobubble.bounds.limited import fit_int64
from nobubble.bounds.room import Room
from nobubble.problem import Problem

_CLOSER: Final = 2_500
"""The most counts of F, B and W at which a stage is looked at more closely."""

_CLOSELY: Final = (256, 3)
_COARSELY: Final = (64, 1)
"""States kept for the same counts, and how many microbatches ahead of one it may meet. More of
either changed next to nothing in any case tried, but takes much longer."""

_POINTS: Final = 60_000
"""The most counts of F, B and W to look at, over all stages: below 0.1 s."""


def meeting(problem: Problem) -> int | None:
    """Bound the cost by the best order of one stage's ops, given where microbatches meet, in ns.

    Holds on any placement and for every way of running backward. None without a memory limit, or
    where every limit has room for too many microbatches.

    Proof
    -----
    Take a stage s on its own, with its F's, its backwards (B' or more each) and what is left of
    them (W' or more), run one at a time, within memory. Of its rank's other stages only M_F of the
    lower ones counts, for microbatches in flight at s.

    *Two meet somewhere.* Let microbatch j come after i, and let the F of j at s come before the
    backward of i. On every stage above, one of these two comes before the other. If the
    backward comes first at a stage, it does on the next as well: F of j comes there later,
    backward of i earlier. So there is a d >= 1 such that F of j comes first on the
    stages below s + d and second from s + d on. With f for the start of F at s and b for the end of
    backward there,

    - b(i) >= f(j) + the trip from s to s + d - 1 and back: there F of j comes before B' of i;
    - b(j) >= f(i) + the trip of i to the last stage and back to s + d, F of j there, and from there
      the trip of j to the last stage and back to s: f(i) + trip of s + trip of s + d. Where d goes
      beyond the last stage this is no condition.

    Beside that, b(j) >= f(j) + trip of s.

    *The best order.* All of these say that something ends no sooner than other ends and starts. So
    for one order of the stage's ops, and one d for each pair that meets, everything has an
    earliest time; and ops that begin earlier never make later ones later. Step by step, for all
    counts of F's, B's and W's run so far, the states are kept that no other is nowhere later than:
    the time, the starts of the last F's, and the earliest starts of the backwards in flight. Where
    there are too many, two are replaced by the earlier of both in every part. A schedule's own
    order and d's lead to a state nowhere later than it.

    The last backward ends the window that `chain` goes through; on the lowest stage of a rank the
    end of all is the rank's span.

    Takes time in proportion to m * L * Q of a stage, for at most L in flight and Q pending: the
    stages that wait longest for memory come first, until `_POINTS` are used up.
    """
    figures, room = Figures.of(problem), Room.of(problem)
    m = problem.microbatches
    if all(capacity is None for capacity in room.capacity) or not fit_int64(figures, m):
        return None
    left, within, spans = _POINTS, [0] * problem.stages, [0] * problem.ranks
    chosen = []
    for rank, (stages, capacity) in enumerate(zip(figures.stages_on, room.capacity, strict=True)):
        for place, s in enumerate(stages):
            if capacity is None:
                break
            most = room.in_flight(stages[: place + 1], capacity, m)
            chosen.append((figures.trip[s] / most, s, rank, most))
    for _, s, rank, most in sorted(chosen, reverse=True):
        capacity = room.capacity[rank]
        assert capacity is not None
        pending = min(m, capacity // room.pending[s] + 1) if room.pending[s] > 0 else m
        points = (m + 1) * (most + 1) * (pending + 1)
        if points > left:
            continue
        left -= points
        stages = figures.stages_on[rank]
        lower = sum(room.held[x] for x in stages if x <= s)
        effort = _CLOSELY if points <= _CLOSER else _COARSELY
        within[s], span = _least(figures, room, s, capacity, lower, (m, most, pending), effort)
        if s == stages[0]:
            spans[rank] = span
    if left == _POINTS:
        return None
    return max(figures.cost(problem, enumerate(spans)), through(problem, figures, within))


def _least(
    figures: Figures,
    room: Room,
    s: int,
    capacity: int,
    held: int,
    counts: tuple[int, int, int],
    effort: tuple[int, int],
) -> tuple[int, int]:
    """Give the ends of the last backward of a stage and of all, from its first F, in ns."""
    # Imported late: a bound without a memory limit needs none of the compiled code.
    from nobubble.compiled.meeting import least_times

    m, most, most_pending = counts
    kept, ahead = effort
    above = [*figures.trip[s:], 0]
    below = [0]
    for d in range(s, len(figures.trip)):
        there, home = figures.head[d] - figures.head[s], figures.back[d] - figures.back[s]
        below.append(there + figures.forward[d] + figures.backward[d] + home)
    least = np.empty(2, dtype=np.int64)
    least_times(
        m,
        np.array([figures.forward[s], figures.backward[s], figures.weight[s]], dtype=np.int64),
        figures.trip[s],
        _fits(capacity - held - room.start_forward[s], held, room.pending[s], most, most_pending),
        _fits(capacity - room.start_backward[s], held, room.pending[s], most, most_pending),
        np.array(above, dtype=np.int64),
        np.array(below, dtype=np.int64),
        kept,
        ahead,
        least,
    )
    return int(least[0]), int(least[1])


def _fits(room: int, held: int, pending: int, most: int, most_pending: int) -> NDArray[np.bool_]:
    """Tell what numbers in flight and pending fit into the room."""
    return np.array(
        [
            [n * held + q * pending <= room for q in range(most_pending + 1)]
            for n in range(most + 1)
        ],
        dtype=np.bool_,
    )
