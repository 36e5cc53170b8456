"""The bound of the microbatches that memory allows at once."""

from __future__ import annotations

from nobubble.bounds.chain import through
from nobubble.bounds.figures import Figures
from nobubble.bounds.limited import LimitedStages
from nobubble.bounds.recurrence import last_ends
from nobubble.bounds.room import Room
from nobubble.problem import Problem


def in_flight(problem: Problem) -> int | None:
    """Bound the cost by how long memory keeps a stage waiting for what it holds, in ns.

    Holds on any placement and for every way of running backward. None without a memory limit.

    Proof
    -----
    Take stage s, count time from the start of its first F, and let

    - f(j) be a bound on the start of its F number j,
    - b(j) on the end of its backward number j, taken as its start plus B',
    - w(j) on the time when j + 1 microbatches are whole: backward and W have ended.

    *F waits for memory.* When F number j starts, let n microbatches be in flight at s, itself
    included, and q be pending. Each in flight holds M_F also of the lower stages of the rank, so
    n * (sum of M_F) + q * (M_F + M_B) + workspace of F is within the capacity: q <= Q(n), n <= L. So
    j + 1 - n backwards have ended and j + 1 - n - q microbatches are whole. Hence f(j) is
    at least the minimum over 1 <= n <= min(L, j + 1) of max(b(j - n), w(j - n - Q(n))). And it is
    at least f(j - 1) + F.

    *Backward waits for the path.* b(j) >= f(j) + R, a round trip, and b(j) >= b(j - 1) + B'.
    Microbatches i to j pass through any stage k >= s, whose rank runs their F and backward of k
    and of its higher stages between the first F of k and the last backward of k: b(j) >= f(i) +
    way from s to k + (j - i + 1) * (sum of F + B') + way back.

    *The whole.* Of j + 1 whole microbatches one has a number >= j, so w(j) >= b(j) + W': a fused
    backward takes T' = B' + W' or more. Every whole ends with an op of W' or more: w(j) >= w(j - 1)
    + W'.

    *Work.* Before any of these times the rank has done the ops that `_Work` counts.

    The rank's span is at least w(m - 1) of its lowest stage, and b(m - 1) of any stage ends a window
    as in `chain`.
    """
    figures, room = Figures.of(problem), Room.of(problem)
    limited = LimitedStages.of(problem, figures, room)
    if not limited.stages:
        return None
    backward, whole = last_ends(figures, limited)
    within = [0] * problem.stages
    spans = [0] * problem.ranks
    for s, end_backward, end_whole in zip(limited.stages, backward, whole, strict=True):
        within[s] = end_backward
        rank = int(problem.rank_of[s])
        if s == figures.stages_on[rank][0]:
            spans[rank] = end_whole
    return max(figures.cost(problem, enumerate(spans)), through(problem, figures, within))
