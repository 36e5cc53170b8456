"""What a run has found: the schedule, the bound, and why no more was tried."""

from __future__ import annotations

from dataclasses import dataclass

from nobubble.bounds.bound import Bound
from nobubble.schedule.document import StoppedBy
from nobubble.solvers.solution import Solution


@dataclass(frozen=True, slots=True)
class Answer:
    """The best schedule found, the best bound proven, and why no more was tried."""

    solution: Solution
    bound: Bound
    stopped_by: StoppedBy
