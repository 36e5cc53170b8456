"""The lower bounds of a profile as a document."""

from __future__ import annotations

from typing import Any

from nobubble.bounds.best import lower_bounds
from nobubble.problem import Problem
from nobubble.profile.canonical import profile_sha256
from nobubble.profile.model import Profile
from nobubble.solvers.memory import require_feasible
from nobubble.units import TIME_UNITS, in_unit


def bounds_report(profile: Profile) -> dict[str, Any]:
    """Give every lower bound of a profile in its own time unit, and the best of them.

    Raises
    ------
    InfeasibleError
        No schedule keeps within the memory limits.
    """
    problem = Problem.of(profile)
    require_feasible(profile, problem)
    bounds = lower_bounds(problem)
    best = max(bounds, key=lambda bound: bound.value)
    size = TIME_UNITS[profile.time_unit]
    return {
        "profile": profile.name,
        "profile_sha256": profile_sha256(profile),
        "objective": profile.objective,
        "time_unit": profile.time_unit,
        "lower_bound": in_unit(best.value, size),
        "bound": best.name,
        "bounds": {bound.name: in_unit(bound.value, size) for bound in bounds},
    }
