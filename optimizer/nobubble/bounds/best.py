"""All lower bounds of a problem, and the best of them."""

from __future__ import annotations

from typing import Final

from nobubble.bounds.area import area
from nobubble.bounds.bound import Bound
from nobubble.bounds.busy import busy
from nobubble.bounds.cascade import cascade
from nobubble.bounds.chain import chain
from nobubble.bounds.in_flight import in_flight
from nobubble.bounds.meeting import meeting
from nobubble.bounds.two_ended import two_ended
from nobubble.bounds.warm_up import warm_up
from nobubble.problem import Problem

_BOUNDS = (
    ("busy", busy),
    ("warm-up", warm_up),
    ("chain", chain),
    ("two-ended", two_ended),
    ("cascade", cascade),
    ("in-flight", in_flight),
    ("area", area),
    ("meeting", meeting),
)

CLOSED_FORMS: Final = tuple(name for name, _ in _BOUNDS)
"""The names of the arguments; a bound of another name was proven by a solver's run."""


def lower_bounds(problem: Problem) -> list[Bound]:
    """Give every bound that applies, from the simplest argument to the most involved."""
    values = [(name, function(problem)) for name, function in _BOUNDS]
    return [Bound(name, value) for name, value in values if value is not None]


def best_bound(problem: Problem) -> Bound:
    """Give the highest lower bound; of equal ones the simplest."""
    return max(lower_bounds(problem), key=lambda bound: bound.value)
