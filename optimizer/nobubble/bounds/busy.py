"""The bound of a rank's work."""

from __future__ import annotations

from nobubble.bounds.figures import Figures
from nobubble.problem import Problem


def busy(problem: Problem) -> int:
    """Bound the cost by the work of the busiest rank, in ns.

    Holds on any placement and for every way of running backward.

    Proof
    -----
    A rank runs one op at a time, so its span is at least the sum of its ops: for every stage and
    microbatch F and, whichever way backward runs, T' for the rest. For makespan its first op starts
    no sooner than the F's before it allow.
    """
    figures = Figures.of(problem)
    m = problem.microbatches
    return figures.cost(problem, ((r, figures.work(r, m)) for r in range(problem.ranks)))
