"""From a profile to a verified schedule: the way that every answer takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from nobubble.errors import MethodError, VerificationError
from nobubble.methods import EFFORTS, METHODS, Effort
from nobubble.profile.model import Profile

if TYPE_CHECKING:
    from nobubble.schedule.document import ScheduleDocument


def solve(
    profile: Profile,
    *,
    method: str = "auto",
    effort: Effort = "normal",
    seed: int = 0,
    time_limit: float | None = None,
    ignore_memory_limit: bool = False,
    progress: Callable[[str], None] | None = None,
) -> ScheduleDocument:
    """Find a schedule, bound its cost from below, verify it and write it up.

    Parameters
    ----------
    profile : Profile
        Its objective is what is minimised.
    method : str
        One of `nobubble.methods.METHODS`.
    effort : {"fast", "normal", "max"}
        How much work goes into it; the same work on every machine.
    seed : int
        Of the search, at least 0.
    time_limit : float, optional
        Seconds after which the search ends with what it has. The result then says ``time_limit``
        in ``stopped_by``, and may differ from run to run.
    ignore_memory_limit : bool
        Solve the profile without its memory limits.
    progress : callable, optional
        Takes a line of text now and then.

    Returns
    -------
    ScheduleDocument
        It has passed the verifier.

    Raises
    ------
    MethodError
        The method or effort does not exist, or is not made for this profile.
    InfeasibleError
        The memory limits are too small for the method.
    NoScheduleError
        The time limit passed before there was a schedule.
    VerificationError
        The verifier refuses what was found: a fault of nobubble's own.
    """
    # Imported here, since that takes a while, and a wrong method is told at once.
    from nobubble.problem import Problem
    from nobubble.schedule.building import build_schedule
    from nobubble.solvers.strategy import Task, answer
    from nobubble.solvers.watch import Watch
    from nobubble.verifier.verify import verify

    if method not in METHODS:
        raise MethodError(f"there is no method {method!r}; take one of {', '.join(METHODS)}")
    if effort not in EFFORTS:
        raise MethodError(f"there is no effort {effort!r}; take one of {', '.join(EFFORTS)}")
    options: dict[str, object] = {"method": method, "effort": effort, "seed": seed}
    if ignore_memory_limit:
        profile = replace(profile, memory_limit=(None,) * profile.ranks)
        options["ignore_memory_limit"] = True
    problem = Problem.of(profile)
    found = answer(Task(profile, problem, method, effort, seed, Watch(time_limit, progress)))
    document = build_schedule(
        profile,
        problem,
        found.solution.order,
        found.solution.timing,
        found.bound,
        method=found.solution.method,
        stopped_by=found.stopped_by,
        options=options,
    )
    findings = verify(document)
    if findings:
        name = found.solution.method
        raise VerificationError(
            [f"{name} made a schedule that is wrong; please report this:", *findings]
        )
    return document
