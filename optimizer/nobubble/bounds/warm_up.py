"""The bound of what a rank cannot do before its first backward."""

from __future__ import annotations

from nobubble.bounds.figures import Figures
from nobubble.bounds.room import Room, most_value
from nobubble.problem import Problem


def warm_up(problem: Problem) -> int:
    """Bound the cost by a rank's work and its idle time before its first backward, in ns.

    Holds on any placement and for every way of running backward.

    Proof
    -----
    Before its first backward a rank runs only F's, and that backward is one of its highest stage
    (a microbatch's backward reaches the others later). From the rank's first F to it passes the
    way to the last stage and back. As many F's as fit into memory without any backward are all
    that can fill this time; the rest of it is idle, and the rank's work comes on top.
    """
    figures, room = Figures.of(problem), Room.of(problem)
    m = problem.microbatches
    return figures.cost(
        problem,
        (
            (r, figures.work(r, m) + idle_before_backward(figures, room, r, m, m))
            for r in range(problem.ranks)
        ),
    )


def idle_before_backward(figures: Figures, room: Room, rank: int, m: int, of_highest: int) -> int:
    """Bound a rank's idle time between its first F and its first backward, in ns.

    Parameters
    ----------
    figures, room
        Of the problem.
    rank, m : int
        The rank, and the number of microbatches.
    of_highest : int
        How many F's of its highest stage may come before its first backward.
    """
    stages = figures.stages_on[rank]
    lowest, highest = stages[0], stages[-1]
    path = figures.head[highest] - figures.head[lowest] + figures.trip[highest]
    path -= figures.backward[highest]
    return max(0, path - forwards_before_backward(figures, room, rank, m, of_highest))


def forwards_before_backward(
    figures: Figures, room: Room, rank: int, m: int, of_highest: int
) -> int:
    """Bound the time of the F's that a rank can run before its first backward, in ns.

    Parameters as `idle_before_backward`. All of them are held when the last of them runs, and when
    the backward starts.
    """
    stages = figures.stages_on[rank]
    counts = [m] * (len(stages) - 1) + [of_highest]
    pieces = [
        (room.held[s], figures.forward[s], most) for s, most in zip(stages, counts, strict=True)
    ]
    capacity = room.capacity[rank]
    if capacity is None:
        return sum(value * most for _, value, most in pieces)
    needed = max(min(room.start_forward[s] for s in stages), room.start_backward[stages[-1]])
    return most_value(capacity - needed, pieces)
