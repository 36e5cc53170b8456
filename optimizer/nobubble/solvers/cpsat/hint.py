"""A schedule as values of the model's variables."""

from __future__ import annotations

from ortools.sat.python import cp_model

from nobubble.order import Order
from nobubble.problem import BW, F, W
from nobubble.solvers.cpsat.clock import Clock
from nobubble.solvers.cpsat.variables import Time, Variables
from nobubble.timing import time_of


def add_hint(model: cp_model.CpModel, clock: Clock, v: Variables, order: Order, cost: int) -> None:
    """Tell the model when every op of an order runs, and how every backward does.

    Parameters
    ----------
    model, clock, v
    order : Order
    cost : int
        In units.
    """
    timing = time_of(clock.ticked, order)
    weight_ends = [[0] * len(runs) for runs in v.weight]
    places = zip(
        order.letters.tolist(),
        order.microbatches().tolist(),
        timing.start.tolist(),
        timing.end.tolist(),
        strict=True,
    )
    for letter, j, start, end in places:
        s, kind = divmod(letter, 4)
        if kind == W:
            weight_ends[s][j] = end
        elif kind == F:
            _hint(model, v.forward[s][j].start, start)
        else:
            _hint(model, v.backward[s][j].start, start)
            if v.fused[s]:
                _hint(model, v.backward[s][j].end, end)
                _hint(model, v.fused[s][j], kind == BW)
                if kind == BW:
                    _hint(model, v.released[s][j], end)
    for s, ends in enumerate(weight_ends):
        for j, end in enumerate(ends):
            if not v.fused[s]:
                _hint(model, v.weight[s][j].start, end - int(clock.ticked.time[s, W]))
                continue
            if end:
                _hint(model, v.released[s][j], end)
            else:
                ends[j] = ends[j - 1] if j > 0 else 0
            _hint(model, v.weight[s][j].end, ends[j])
    model.add_hint(v.cost, cost)


def _hint(model: cp_model.CpModel, variable: Time, value: int) -> None:
    """Hint a value for what was made as a variable."""
    if not isinstance(variable, cp_model.IntVar):
        raise TypeError(f"{variable} is no variable")
    model.add_hint(variable, value)
