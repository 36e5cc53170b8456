"""From a profile to a verified schedule: the way that every answer takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from nobubble.errors import MethodError, VerificationError
from nobubble.methods import EFFORTS, METHODS, Effort, is_method
from nobubble.profile.model import Profile
from nobubble.progress import Draft, Progress
from nobubble.units import TIME_UNITS, in_unit

if TYPE_CHECKING:
    from nobubble.problem import Problem
    from nobubble.schedule.document import ScheduleDocument
    from nobubble.solvers.answer import Answer


def solve(
    profile: Profile,
    *,
    method: str = "auto",
    effort: Effort = "normal",
    seed: int = 0,
    time_limit: float | None = None,
    ignore_memory_limit: bool = False,
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> ScheduleDocument:
    """Find a schedule, bound its cost from below, verify it and write it up.

    Parameters
    ----------
    profile : Profile
        Its objective is what is minimised.
    method : str
        One of `nobubble.methods.METHODS`, or ``interleaved-1f1b:G`` with a group size G.
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
        Hears of every better schedule and every better bound.
    stop : callable, optional
        Says whether to stop with the best so far. Asked often, from any thread, also before the
        first attempt; must be quick. The result says ``stopped`` in ``stopped_by``.

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
        The time limit passed, or it was asked to stop, before there was a schedule.
    VerificationError
        The verifier refuses what was found: a fault of nobubble's own.
    """
    # Imported here, since that takes a while, and a wrong method is told at once.
    from nobubble.problem import Problem
    from nobubble.solvers.strategy import answer
    from nobubble.solvers.task import Task
    from nobubble.solvers.watch import Watch

    if not is_method(method):
        raise MethodError(f"there is no method {method!r}; take one of {', '.join(METHODS)}")
    if effort not in EFFORTS:
        raise MethodError(f"there is no effort {effort!r}; take one of {', '.join(EFFORTS)}")
    options: dict[str, object] = {"method": method, "effort": effort, "seed": seed}
    if ignore_memory_limit:
        profile = replace(profile, memory_limit=(None,) * profile.ranks)
        options["ignore_memory_limit"] = True
    problem = Problem.of(profile)

    def tell(text: str, best: Answer | None) -> None:
        if progress is not None:
            draft = None if best is None else _draft(profile, problem, best, options)
            progress(Progress(text, draft))

    watch = Watch(time_limit, tell, stop)
    found = answer(Task(profile, problem, method, effort, seed, watch))
    return _write_up(profile, problem, found, options)


def _draft(
    profile: Profile, problem: Problem, best: Answer, options: Mapping[str, object]
) -> Draft:
    """Give the best answer so far as a listener sees it."""
    cost, bound = best.solution.timing.cost(problem), best.bound.value
    unit = TIME_UNITS[profile.time_unit]
    return Draft(
        method=best.solution.method,
        cost=in_unit(cost, unit),
        lower_bound=in_unit(bound, unit),
        gap=(cost - bound) / cost if cost else 0.0,
        document=lambda: _write_up(profile, problem, best, options),
    )


def _write_up(
    profile: Profile, problem: Problem, found: Answer, options: Mapping[str, object]
) -> ScheduleDocument:
    """Make the document of an answer, and verify it."""
    from nobubble.schedule.building import build_schedule
    from nobubble.verifier.verify import verify

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
