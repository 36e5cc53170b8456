"""A window as a model of CP-SAT: one variable for the start of every op."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from ortools.sat.python import cp_model

from nobubble.problem import UNLIMITED, Problem
from nobubble.solvers.cpsat.clock import Clock
from nobubble.solvers.watch import Watch
from nobubble.solvers.windows.window import Block


@dataclass(frozen=True, slots=True)
class Solved:
    """What became of a window.

    Attributes
    ----------
    rows : list of list of int, or None
        The numbers of every block's ops in a better order; None where none was found.
    is_complete : bool
        Whether nothing better than `rows`, or than the window as it was, exists.
    work : float
        Deterministic seconds used.
    """

    rows: list[list[int]] | None
    is_complete: bool
    work: float


def solve_window(
    problem: Problem,
    clock: Clock,
    blocks: list[Block],
    watch: Watch,
    *,
    least: int,
    most: int,
    work: float,
    seed: int,
) -> Solved:
    """Look for the best order of a window's ops.

    Parameters
    ----------
    problem, clock
    blocks : list of Block
        In ticks.
    watch : Watch
    least, most : int
        Between which the cost is to lie, in units.
    work : float
        Deterministic seconds at most.
    seed : int
    """
    model = cp_model.CpModel()
    cost = model.new_int_var(least, most, "cost")
    latest = clock.ticks * most + clock.ticks - 1
    starts: dict[int, cp_model.IntVar] = {}
    for block in blocks:
        for op in block.ops:
            if op.release > latest - op.time - op.tail:
                return Solved(None, True, 0.0)
            start = model.new_int_var(op.release, latest - op.time - op.tail, f"{op.number}")
            starts[op.number] = start
            model.add(clock.ticks * cost + (clock.ticks - 1) >= start + (op.time + op.tail))
            model.add_hint(start, op.start)
    ops = {op.number: op for block in blocks for op in block.ops}
    for op in ops.values():
        for source, latency in op.after:
            model.add(starts[op.number] >= starts[source] + (ops[source].time + latency))
    for block in blocks:
        _one_op_at_a_time(model, block, starts)
        if problem.capacity[block.rank] < UNLIMITED:
            _memory(model, block, starts, int(problem.capacity[block.rank]), latest)
    model.minimize(cost)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.random_seed = seed
    solver.parameters.linearization_level = 0
    solver.parameters.max_deterministic_time = work
    left = watch.seconds_left()
    if left is not None:
        solver.parameters.max_time_in_seconds = left + 1  # In case no thread comes to stop it.
    with watch.cancelling(solver.stop_search):
        status = solver.solve(model)
    rows = None
    if status in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        rows = [
            sorted((op.number for op in block.ops), key=lambda n: solver.value(starts[n]))
            for block in blocks
        ]
    is_complete = status in (cp_model.OPTIMAL, cp_model.INFEASIBLE) and not watch.cut_short
    return Solved(rows, is_complete, solver.response_proto.deterministic_time)


def _one_op_at_a_time(
    model: cp_model.CpModel, block: Block, starts: dict[int, cp_model.IntVar]
) -> None:
    """Ops of a block do not overlap."""
    model.add_no_overlap(
        [
            model.new_fixed_size_interval_var(starts[op.number], op.time, f"run {op.number}")
            for op in block.ops
        ]
    )


def _memory(
    model: cp_model.CpModel,
    block: Block,
    starts: dict[int, cp_model.IntVar],
    capacity: int,
    latest: int,
) -> None:
    """At every time in the window, what is held adds up to no more than the capacity.

    What is given back in the window is held from its begin to the end of the op that gives it
    back, and what is taken from the start of the op on to the window's end; workspace while the
    op runs.
    """
    begin = min(op.release for op in block.ops)
    end = latest - min(op.tail for op in block.ops)
    held: list[tuple[cp_model.IntervalVar, int]] = []
    for op in block.ops:
        start, name = starts[op.number], str(op.number)
        if op.memory != 0:
            size = model.new_int_var(0, end - begin, "size " + name)
            interval = (
                model.new_interval_var(start, size, end, "taken " + name)
                if op.memory > 0
                else model.new_interval_var(begin, size, start + op.time, "given back " + name)
            )
            held.append((interval, abs(op.memory)))
        if op.workspace > 0:
            during = model.new_fixed_size_interval_var(start, op.time, "workspace " + name)
            held.append((during, op.workspace))
    room = capacity - block.level + sum(-op.memory for op in block.ops if op.memory < 0)
    demands = [demand for _, demand in held]
    if sum(demands) > room:
        unit = int(np.gcd.reduce(demands))
        model.add_cumulative(
            [interval for interval, _ in held], [demand // unit for demand in demands], room // unit
        )
