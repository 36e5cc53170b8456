"""The bound of a rank's idle time at both ends of an iteration."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nobubble.bounds.chain import late_weight, through
from nobubble.bounds.figures import Figures
from nobubble.bounds.room import Room, fitting, most_value
from nobubble.bounds.warm_up import idle_before_backward
from nobubble.problem import Problem


@dataclass(frozen=True, slots=True)
class Ends:
    """One way in which a rank can begin and finish an iteration, and what that costs at least.

    Attributes
    ----------
    idle : int
        Idle time before the first backward, in ns.
    far : int
        From the rank's first start to the last backward of its lowest stage, by way of the rank's
        last F: the work that has to come before that F, and the path from it.
    """

    idle: int
    far: int


def two_ended(problem: Problem) -> int:
    """Bound the cost by a rank's work and its idle time at both ends, in ns.

    Holds on any placement and for every way of running backward.

    Proof
    -----
    Let a be the rank's lowest stage, z its highest, and X = F(z, m - 1): the last of all F's of the
    rank. Either X starts before the first backward, so that all F's do; or after its end.

    *Before its first backward* the rank idles for at least what `warm_up` says, with at most m - 1
    F's of z in the second case.

    *From the start of X* to the end of the last backward of a pass at least the path of that
    microbatch from F at z, to the last stage, and back to a, and W' of a comes after it. Before X
    the rank has run all other F's and, of every microbatch that it does not have in flight at
    the start of X, the backward; also the W, unless it is pending. The time before X is at least
    that work and the idle time before the first backward (which, in the second case, lies before
    X). Memory limits what is in flight and pending when X starts: see `_before_last_forward`.

    So the rank's span is at least the larger of work + idle, and the time before X + path + W'. As
    in `chain`, the same holds between the first F and the last backward of a, with the W's taken
    off that can come later, and on a path from a stage i below to there and back.
    """
    figures, room = Figures.of(problem), Room.of(problem)
    m = problem.microbatches
    spans = []
    within = [0] * problem.stages
    for rank, stages in enumerate(figures.stages_on):
        lowest = stages[0]
        ends = list(_ends(figures, room, rank, m))
        work = figures.work(rank, m)
        early = work - late_weight(figures, room, rank, 0, m)
        last = figures.weight[lowest]
        spans.append((rank, min(max(work + e.idle, e.far + last) for e in ends)))
        within[lowest] = min(max(early + e.idle, e.far) for e in ends)
    return max(figures.cost(problem, spans), through(problem, figures, within))


def _ends(figures: Figures, room: Room, rank: int, m: int) -> Iterator[Ends]:
    """Give the ways in which a rank can begin and finish."""
    stages = figures.stages_on[rank]
    lowest, highest = stages[0], stages[-1]
    path = figures.trip[highest] + figures.back[highest] - figures.back[lowest]
    forwards = m * sum(figures.forward[s] for s in stages) - figures.forward[highest]
    in_flight = room.in_flight(stages, room.capacity[rank], m)
    if in_flight == m:
        idle = idle_before_backward(figures, room, rank, m, m)
        yield Ends(idle=idle, far=forwards + path)
    if m > 1:
        idle = idle_before_backward(figures, room, rank, m, m - 1)
        yield Ends(idle=idle, far=idle + _before_last_forward(figures, room, rank, m) + path)


def _before_last_forward(figures: Figures, room: Room, rank: int, m: int) -> int:
    """Bound the work that a rank has done when its last F starts, after a backward, in ns.

    Of stage s let n_s microbatches be in flight then, and q_s pending, 1 <= n_s, n_s + q_s <= m.
    The others have taken T' each, the pending ones at least B' = T' - W'. What all of them hold and
    the workspace of F fit into the capacity. With one stage every n is tried, with more
    a fractional knapsack gives the most that can be left for later.
    """
    stages = figures.stages_on[rank]
    highest = stages[-1]
    work = figures.work(rank, m) - figures.forward[highest]
    # One microbatch at least has run backward at the highest stage.
    later = m * sum(figures.whole[s] for s in stages) - figures.backward[highest]
    capacity = room.capacity[rank]
    if capacity is not None:
        left = capacity - room.start_forward[highest]
        most_in_flight = min(m - 1, room.in_flight(stages, capacity, m))
        if len(stages) == 1:
            fits = _most_left_by_one(figures, room, highest, m, left, most_in_flight)
        else:
            fits = _most_left_by_many(figures, room, stages, m, left)
        later = min(later, fits)
    return work - later


def _most_left_by_one(
    figures: Figures, room: Room, stage: int, m: int, left: int, most_in_flight: int
) -> int:
    whole, weight = figures.whole[stage], figures.weight[stage]
    held, pending = room.held[stage], room.pending[stage]
    return max(
        n * whole + weight * fitting(left - n * held, pending, m - n)
        for n in range(1, most_in_flight + 1)
    )


def _most_left_by_many(figures: Figures, room: Room, stages: list[int], m: int, left: int) -> int:
    later = 0
    pieces = []
    for s in stages:
        held, pending = room.held[s], room.pending[s]
        whole, weight, backward = figures.whole[s], figures.weight[s], figures.backward[s]
        # The last microbatch is in flight at all of them.
        later += whole
        left -= held
        if held > pending and weight * held > whole * pending:
            # Putting off W is the better use of memory; then its backward too.
            pieces += [(pending, weight, m - 1), (held - pending, backward, m - 1)]
        else:
            pieces.append((held, whole, m - 1))
    return later + most_value(left, pieces)
