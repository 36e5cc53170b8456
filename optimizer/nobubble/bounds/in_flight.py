"""The bound of the microbatches that memory allows at once."""

from __future__ import annotations

from nobubble.bounds.chain import through
from nobubble.bounds.figures import Figures
from nobubble.bounds.limited import LimitedStages
from nobubble.bounds.recurrence import last_ends
from nobubble.bounds.room import Room
from nobubble.problem import Problem


def in_flight(problem: Problem) -> int | None:
    """Bound the cost by how long the F's of a stage wait for memory, in ns.

    Holds on any placement and for every way of running backward. None without a memory limit.

    Proof
    -----
    Take a stage s, count time from the start of its first F, and bound from below

    - f(j): the start of its F number j,
    - b(j): the end of its backward number j, taken as the start of that and B',
    - w(j): the time when j + 1 microbatches are whole, that is, backward and W have ended.

    *F waits for memory.* When F number j starts, let n microbatches be in flight at s, itself
    included, and q pending. Those in flight hold M_F also at the lower stages of the rank. So
    n * (sum of M_F) + q * (M_F + M_B) and the workspace of F fit into the capacity: n <= L, and
    q <= Q(n). As j + 1 - n backwards have ended and j + 1 - n - q microbatches are whole, f(j) is
    at least the minimum over 1 <= n <= L of max(b(j - n), w(j - n - Q(n))), where j >= L. For every
    n the rank has done work before, which `_Memory` counts as well. And f(j) >= f(j - 1) + F.

    *Backward waits for the path.* b(j) >= f(j) + R, a round trip, and b(j) >= b(j - 1) + B'.
    Microbatches i to j pass through any stage k >= s. Its rank runs their F and backward at k and
    at its own higher stages between the first F and the last backward at k, so b(j) >= f(i) + way
    from s to k + (j - i + 1) * (sum of F + B') + way back.

    *Backward waits for memory.* When it starts, no more can be pending than fit beside its own
    microbatch and what it needs itself, X: b(j) >= w(j - X - 1) + B'.

    *The whole.* Of j + 1 whole microbatches one has a number of j or more; its backward and W end
    T' = B' + W' or more after the start of that backward: w(j) >= b(j) + W'. Each becomes whole
    with the end of an op of W' or more: w(j) >= w(j - 1) + W'.

    *Work* comes before the end of backwards and wholes too, see `recurrence`.

    The rank's span is at least w(m - 1) of its lowest stage; and b(m - 1) of any stage ends the
    window that `chain` goes through.
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
