"""What to solve, and how much work an effort stands for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from nobubble.methods import Effort
from nobubble.problem import Problem
from nobubble.profile.model import Profile
from nobubble.solvers.watch import Watch


@dataclass(frozen=True, slots=True)
class Budget:
    """How much work an effort stands for.

    Attributes
    ----------
    search : int
        Of the local search, in ops timed: some 20 million a second.
    exact : float
        Of an exact solver asked for by name: CP-SAT's deterministic seconds, and MILP's own unit.
    exact_in_auto : float
        Of CP-SAT within `auto`.
    most_ops : int
        The largest problem on which `auto` tries CP-SAT.
    windows : float
        Of CP-SAT on slices of larger problems, in deterministic seconds.
    climbs : int
        How many building blocks to try beside those that every problem is given.
    """

    search: int
    exact: float
    exact_in_auto: float
    most_ops: int
    windows: float
    climbs: int


BUDGETS: Final[dict[Effort, Budget]] = {
    "fast": Budget(search=0, exact=1.0, exact_in_auto=0.0, most_ops=0, windows=0.0, climbs=0),
    "normal": Budget(
        search=20_000_000, exact=5.0, exact_in_auto=0.5, most_ops=200, windows=0.0, climbs=300
    ),
    "max": Budget(
        search=1_000_000_000,
        exact=60.0,
        exact_in_auto=10.0,
        most_ops=1000,
        windows=10.0,
        climbs=5_000,
    ),
}


@dataclass(frozen=True, slots=True)
class Task:
    """What to solve, and how.

    Attributes
    ----------
    profile, problem : Profile, Problem
    method : str
        See `nobubble.methods.is_method`.
    effort : {"fast", "normal", "max"}
    seed : int
    watch : Watch
    """

    profile: Profile
    problem: Problem
    method: str
    effort: Effort
    seed: int
    watch: Watch
