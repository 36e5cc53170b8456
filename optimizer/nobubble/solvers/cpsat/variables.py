"""The variables of the model: when every op runs, and how every backward does."""

from __future__ import annotations

from dataclasses import dataclass

from ortools.sat.python import cp_model

from nobubble.problem import BW, B, F, W
from nobubble.solvers.cpsat.clock import Clock

Time = cp_model.LinearExprT


@dataclass(frozen=True, slots=True)
class Run:
    """An op's time on its rank, or that of a backward in either of its ways.

    Attributes
    ----------
    start, end : expression, in ticks
    intervals : dict
        By kind of op; more than one only where the stage may choose.
    """

    start: Time
    end: Time
    intervals: dict[int, cp_model.IntervalVar]


@dataclass(frozen=True, slots=True)
class Variables:
    """All variables.

    Attributes
    ----------
    forward, backward : list of list of Run
        By stage and microbatch.
    weight : list of list of Run
        Empty for a stage that never splits. Where a stage may choose, an op that does not run
        ends with the one before it.
    fused : list of list of bool variable
        Whether a backward runs as BW; empty for a stage without a choice.
    released : list of list of expression
        When W or BW has given back what the microbatch held on the stage.
    cost : variable, in units
    """

    forward: list[list[Run]]
    backward: list[list[Run]]
    weight: list[list[Run]]
    fused: list[list[cp_model.IntVar]]
    released: list[list[Time]]
    cost: cp_model.IntVar


def add_variables(model: cp_model.CpModel, clock: Clock, least: int, most: int) -> Variables:
    """Make the variables.

    Parameters
    ----------
    model, clock
    least, most : int
        Between which the cost lies, in units.
    """
    problem = clock.ticked
    variables = Variables([], [], [], [], [], model.new_int_var(least, most, "cost"))
    for s in range(problem.stages):
        rows = [_microbatch(model, clock, s, j) for j in range(problem.microbatches)]
        variables.forward.append([row[0] for row in rows])
        variables.backward.append([row[1] for row in rows])
        variables.weight.append([row[2] for row in rows if row[2] is not None])
        variables.fused.append([row[3] for row in rows if row[3] is not None])
        variables.released.append([row[4] for row in rows])
    return variables


def _microbatch(
    model: cp_model.CpModel, clock: Clock, s: int, j: int
) -> tuple[Run, Run, Run | None, cp_model.IntVar | None, Time]:
    """Make the variables of one stage and microbatch."""
    problem, name = clock.ticked, f"({s},{j})"

    def time_var(what: str) -> cp_model.IntVar:
        return model.new_int_var(0, clock.longest, what + name)

    def fixed(kind: int, what: str) -> Run:
        start, size = time_var(what), int(problem.time[s, kind])
        return Run(
            start, start + size, {kind: model.new_fixed_size_interval_var(start, size, what + name)}
        )

    forward = fixed(F, "F")
    if not problem.may_fuse[s]:
        backward, weight = fixed(B, "B"), fixed(W, "W")
        return forward, backward, weight, None, weight.end
    if not problem.may_split[s]:
        backward = fixed(BW, "BW")
        return forward, backward, None, None, backward.end
    fused = model.new_bool_var("fused" + name)
    start, end = time_var("start of B or BW"), time_var("end of B or BW")
    weight_end, released = time_var("end of W"), time_var("released")
    of_b, of_w, of_bw = (int(problem.time[s, kind]) for kind in (B, W, BW))
    optional = model.new_optional_interval_var
    backward = Run(
        start,
        end,
        {
            B: optional(start, of_b, end, ~fused, "B" + name),
            BW: optional(start, of_bw, end, fused, "BW" + name),
        },
    )
    weight_start = weight_end - of_w
    weight = Run(
        weight_start,
        weight_end,
        {W: optional(weight_start, of_w, weight_end, ~fused, "W" + name)},
    )
    model.add(released == weight_end).only_enforce_if(~fused)
    model.add(released == end).only_enforce_if(fused)
    return forward, backward, weight, fused, released
