"""A schedule as values of the model's variables."""

from __future__ import annotations

import pulp

from nobubble.problem import BW, KINDS, F, Problem, W
from nobubble.solvers.milp.ops import Op, Part
from nobubble.solvers.milp.variables import Variables
from nobubble.solvers.milp.windows import Windows
from nobubble.solvers.solution import Solution

_PART = {"F": Part.FORWARD, "B": Part.BACKWARD, "BW": Part.BACKWARD, "W": Part.WEIGHT}


def values_of(
    problem: Problem, windows: Windows, v: Variables, start: Solution
) -> list[tuple[pulp.LpVariable, float]]:
    """Give the values of the variables in a schedule, without those of the earliest starts.

    A W that does not run stands right behind its BW.
    """
    letters, microbatches = start.order.letters.tolist(), start.order.microbatches().tolist()
    end, sequence = start.timing.end.tolist(), start.timing.sequence.tolist()
    number = {place: at for at, place in enumerate(sequence)}
    position: dict[Op, int] = {}
    values: list[tuple[pulp.LpVariable, float]] = []
    for place, (letter, j) in enumerate(zip(letters, microbatches, strict=True)):
        s, kind = divmod(letter, 4)
        op = Op(_PART[KINDS[kind]], s, j)
        at = [(op, 2 * place)]
        if (s, j) in v.fused and kind not in (F, W):
            values.append((v.fused[s, j], float(kind == BW)))
            if kind == BW:
                at.append((Op(Part.WEIGHT, s, j), 2 * place + 1))
        for each, where in at:
            position[each] = where
            values.append((v.end[each], windows.scaled(end[place])))
    for (a, b), first in v.first.items():
        values.append((first, float(position[a] < position[b])))
    idle = sorted(v.place, key=lambda op: (number[position[op] // 2], op.part))
    values += [(v.place[op], float(later)) for later, op in enumerate(idle)]
    values.append((v.cost, windows.scaled(start.timing.cost(problem))))
    return values
