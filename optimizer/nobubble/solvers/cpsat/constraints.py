"""The constraints of the model, one function for each family.

Times are in ticks (see `Clock`), F(s,j) and so on are starts, with a prime ends; back(s,j) is B or
BW, whichever runs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from ortools.sat.python import cp_model

from nobubble.problem import UNLIMITED, B, F, Problem
from nobubble.solvers.cpsat.clock import Clock
from nobubble.solvers.cpsat.variables import Time, Variables
from nobubble.solvers.first_starts import constant_first_starts, first_stages


def add_constraints(model: cp_model.CpModel, clock: Clock, v: Variables) -> None:
    """Add all constraints on when ops run."""
    problem = clock.ticked
    _dependencies(model, problem, v)
    _order_within_kinds(model, problem, v)
    for rank in range(problem.ranks):
        _one_op_at_a_time(model, problem, v, rank)
        if problem.capacity[rank] < UNLIMITED:
            _memory(model, problem, v, rank, clock.longest)
    if problem.objective == "rank_span":
        _earliest_first_starts(model, problem, v)


def _dependencies(model: cp_model.CpModel, problem: Problem, v: Variables) -> None:
    """F(s,j) >= F'(s-1,j) + forward latency; back(s,j) >= back'(s+1,j) + backward latency.

    On the last stage back(s,j) >= F'(s,j). Where backward is split, W(s,j) >= B'(s,j).
    """
    last = problem.stages - 1
    for s in range(problem.stages):
        for j, (forward, backward) in enumerate(zip(v.forward[s], v.backward[s], strict=True)):
            if s > 0:
                latency = int(problem.forward_latency[s])
                model.add(forward.start >= v.forward[s - 1][j].end + latency)
            if s < last:
                latency = int(problem.backward_latency[s])
                model.add(backward.start >= v.backward[s + 1][j].end + latency)
            else:
                model.add(backward.start >= forward.end)
            if v.weight[s]:
                follows = model.add(v.weight[s][j].start >= backward.end)
                if v.fused[s]:
                    follows.only_enforce_if(~v.fused[s][j])


def _order_within_kinds(model: cp_model.CpModel, problem: Problem, v: Variables) -> None:
    """F(s,j) >= F'(s,j-1), and so for backwards and for W's: microbatches are identical.

    A W that does not run ends with the one before it: W'(s,j) = W'(s,j-1), 0 for the first.
    """
    for s in range(problem.stages):
        for j in range(problem.microbatches):
            for runs in (v.forward[s], v.backward[s]):
                if j > 0:
                    model.add(runs[j].start >= runs[j - 1].end)
            if not v.weight[s]:
                continue
            before = v.weight[s][j - 1].end if j > 0 else 0
            if not v.fused[s]:
                model.add(v.weight[s][j].start >= before)
                continue
            model.add(v.weight[s][j].end >= before)
            model.add(v.weight[s][j].end == before).only_enforce_if(v.fused[s][j])


def _one_op_at_a_time(model: cp_model.CpModel, problem: Problem, v: Variables, rank: int) -> None:
    """Intervals of a rank do not overlap."""
    model.add_no_overlap(
        [
            interval
            for s in problem.stages_on(rank)
            for run in (*v.forward[s], *v.backward[s], *v.weight[s])
            for interval in run.intervals.values()
        ]
    )


def _memory(
    model: cp_model.CpModel, problem: Problem, v: Variables, rank: int, longest: int
) -> None:
    """At every time, what is held adds up to no more than the capacity.

    A microbatch holds F's bytes from F(s,j) on. Where B gives some back, it holds these until
    B'(s,j) and the rest until released(s,j); where B takes more, it holds that from B(s,j) until
    released(s,j). Workspace is held while the op runs. What ends as another op starts is gone.

    A cumulative constraint, since the reservoir constraint of OR-Tools 9.15 makes the process
    abort on some models where not every event must happen.
    """
    if problem.capacity[rank] < 0:
        model.add_bool_or([])
        return
    holdings = list(_holdings(model, problem, v, rank, longest))
    demands = [demand for _, demand in holdings]
    capacity = int(problem.capacity[rank])
    if sum(demands) > capacity:
        unit = int(np.gcd.reduce(demands))
        model.add_cumulative(
            [interval for interval, _ in holdings],
            [demand // unit for demand in demands],
            capacity // unit,
        )


def _holdings(
    model: cp_model.CpModel, problem: Problem, v: Variables, rank: int, longest: int
) -> Iterator[tuple[cp_model.IntervalVar, int]]:
    """Give from when to when how many bytes are held on a rank."""

    def span(start: Time, end: Time, present: cp_model.LiteralT, name: str) -> cp_model.IntervalVar:
        size = model.new_int_var(0, longest, "size of " + name)
        return model.new_optional_interval_var(start, size, end, present, name)

    for s in problem.stages_on(rank):
        memory, workspace = problem.memory[s].tolist(), problem.workspace[s].tolist()
        for j in range(problem.microbatches):
            forward, backward, released = v.forward[s][j], v.backward[s][j], v.released[s][j]
            for run in (forward, backward, *v.weight[s][j : j + 1]):
                for kind, interval in run.intervals.items():
                    if workspace[kind] > 0:
                        yield interval, workspace[kind]
            change = memory[B] if v.weight[s] else 0
            until_released = memory[F] + min(change, 0)
            if until_released > 0:
                yield span(forward.start, released, True, f"held({s},{j})"), until_released
            if change < 0:
                yield span(forward.start, backward.end, True, f"until B({s},{j})"), -change
            if change > 0:
                split = ~v.fused[s][j] if v.fused[s] else True
                yield span(backward.start, released, split, f"from B({s},{j})"), change


def _earliest_first_starts(model: cp_model.CpModel, problem: Problem, v: Variables) -> None:
    """Let no rank begin later than its order allows, for that would lower its span.

    Only ranks whose first start the order decides need this. An op that must be early, F(s,0) of
    the rank's first stage to begin with, starts at 0 or exactly when its input is there, or when
    an op before it on its rank ends, and then the op that it waited for must be early as well.
    Ops take at least a tick, so this goes back to time 0, and the start is the length of a path
    through the order: no later than the earliest start, which is the longest path's. Only F's of
    stages before the last such first stage can be on a path: all else depends on its F(s,0).
    """
    starts = constant_first_starts(problem)
    late = [s for s, start in zip(first_stages(problem), starts, strict=True) if start is None]
    if not late:
        return
    stages = range(max(late) + 1)
    early = {
        (s, j): model.new_bool_var(f"early({s},{j})")
        for s in stages
        for j in range(problem.microbatches)
    }
    for s in late:
        model.add_bool_or(early[s, 0])
    for (s, j), needed in early.items():
        run = v.forward[s][j]
        reasons: list[cp_model.LiteralT] = []
        if s == 0 and j == 0:
            model.add(run.start == 0)
            continue
        waits_for = [(s, j - 1, 0)] if j > 0 else []
        if s > 0:
            waits_for.append((s - 1, j, int(problem.forward_latency[s])))
        waits_for += [
            (other, k, 0)
            for other in stages
            if other != s and problem.rank_of[other] == problem.rank_of[s]
            for k in range(problem.microbatches if other < s else j)
        ]
        for other, k, latency in waits_for:
            reason = model.new_bool_var(f"({s},{j}) waits for ({other},{k})")
            model.add(run.start == v.forward[other][k].end + latency).only_enforce_if(reason)
            model.add_implication(reason, early[other, k])
            reasons.append(reason)
        model.add_bool_or(reasons).only_enforce_if(needed)
