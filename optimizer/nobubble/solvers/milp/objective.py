"""What the model minimises."""

from __future__ import annotations

from nobubble.solvers.first_starts import constant_first_starts, first_stages
from nobubble.solvers.milp.model import Model, Term
from nobubble.solvers.milp.ops import Op, Part
from nobubble.solvers.milp.variables import Variables
from nobubble.solvers.milp.windows import Windows


def add_objective(model: Model, windows: Windows, v: Variables) -> None:
    """Minimise the cost: cost >= e(i) - first start of i's rank, for the last ops of every stage.

    The makespan counts from 0. For the rank span, the first start is a constant, or that of F(s,0)
    on the rank's first stage s: e(F(s,0)) - t(F(s,0)).
    """
    problem, last = v.problem, v.problem.microbatches - 1
    constant = constant_first_starts(problem)
    for rank, first in enumerate(first_stages(problem)):
        begun, terms = 0.0, list[Term]()
        if problem.objective == "rank_span":
            start = constant[rank]
            op = Op(Part.FORWARD, first, 0)
            if start is not None:
                begun = windows.scaled(start)
            else:
                begun, terms = -v.time(windows, op)[0], [(1, v.end[op])]
        for s in problem.stages_on(rank):
            # The last W alone will not do where that microbatch may run BW instead.
            ends = {op for op in v.ops[rank] if op.stage == s and op.part != Part.FORWARD}
            if not problem.may_fuse[s]:
                ends = {Op(Part.WEIGHT, s, last)}
            for op in sorted(ends):
                model.at_least([(1, v.cost), (-1, v.end[op]), *terms], -begun)
    model.minimise(v.cost)
