"""The model's integer time: no longer numbers than needed, and no op without length."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from nobubble.problem import Problem
from nobubble.solvers.extent import allowed_kinds, longest, time_unit

LONGEST: Final = 2**58
"""Ticks that a schedule may last, so that the solver's own sums stay within 64 bits."""


@dataclass(frozen=True, slots=True)
class Clock:
    """How long things take in ticks.

    Times are divided by their greatest common divisor, the unit. Where ops of zero time are
    possible, z at most, each of them takes one tick and a unit z + 1 ticks. Then the order of
    ops on a rank is that of their starts, memory is held for at least a tick wherever the order
    of actions counts, and no ops wait for each other in a circle. An order whose last op ends
    after n units ends after n units and at most z ticks, so that whole units are exact.

    Attributes
    ----------
    unit : int
        Nanoseconds in a unit.
    ticks : int
        Ticks in a unit.
    ticked : Problem
        The problem with its times and latencies in ticks.
    longest : int
        Ticks that an order may last at most: each path through it visits every op once.
    """

    unit: int
    ticks: int
    ticked: Problem
    longest: int

    @classmethod
    def of(cls, problem: Problem) -> Clock:
        """Give the clock of a problem."""
        unit = time_unit(problem)
        zero = allowed_kinds(problem) & (problem.time == 0)
        ticks = 1 + problem.microbatches * int(zero.sum())
        ticked = replace(
            problem,
            time=np.where(zero, 1, problem.time // unit * ticks),
            forward_latency=problem.forward_latency // unit * ticks,
            backward_latency=problem.backward_latency // unit * ticks,
        )
        return cls(unit=unit, ticks=ticks, ticked=ticked, longest=longest(ticked))
