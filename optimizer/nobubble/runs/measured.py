"""A profile with the times that a run measured, and what the plan costs with them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from statistics import median_low

from nobubble.problem import KINDS, Problem
from nobubble.profile.model import Profile, Stage
from nobubble.runs.reading import Run
from nobubble.schedule.document import ScheduleDocument
from nobubble.schedule.order_of import order_of
from nobubble.timing import time_of


def measured_profile(profile: Profile, run: Run) -> Profile:
    """Give a profile with the median time of every op, over all recorded steps and microbatches.

    Ops that did not run keep their times, and so does what was not recorded: memory and
    communication.
    """
    times: dict[tuple[str, int], list[int]] = defaultdict(list)
    for step in run.steps:
        for row in step.ranks:
            for ran in row:
                times[ran.op[0], ran.op[1]].append(ran.time)

    def measured(stage: int, costs: Stage) -> Stage:
        ops = {
            kind: replace(getattr(costs, kind), time=median_low(times[kind, stage]))
            for kind in KINDS
            if (kind, stage) in times
        }
        return replace(costs, **ops)

    stages = tuple(measured(number, stage) for number, stage in enumerate(profile.stages))
    return replace(profile, stages=stages)


def cost_with(document: ScheduleDocument, profile: Profile) -> int:
    """Give what a schedule's order costs with another profile's times, in ns."""
    problem = Problem.of(profile)
    return time_of(problem, order_of(document)).cost(problem)
