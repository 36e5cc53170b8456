"""The constraints of the model, one function for each family.

e(i) is the end of op i and t(i) its time; x(i,k) is 1 where i comes before k on their rank, 0 or 1
outright where the order is given (see `precedes`). back(s,j) is B or BW, f(s,j) is 1 for BW.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np

from nobubble.problem import BW, UNLIMITED, B, W
from nobubble.solvers.first_starts import constant_first_starts, first_stages
from nobubble.solvers.milp.model import Model, Term
from nobubble.solvers.milp.ops import Op, Part, kinds
from nobubble.solvers.milp.variables import Variables
from nobubble.solvers.milp.windows import Windows

_MOST_BYTES = 10**6
"""The largest coefficient of a memory row."""


def add_constraints(model: Model, windows: Windows, v: Variables) -> None:
    """Add all constraints on when ops run."""
    problem = v.problem
    _dependencies(model, windows, v)
    for rank in range(problem.ranks):
        _one_op_at_a_time(model, windows, v, rank)
        _fused(model, v, rank)
        if problem.capacity[rank] < UNLIMITED:
            _memory(model, v, rank)
    _no_circles(model, v)
    if problem.objective == "rank_span":
        _earliest_first_starts(model, windows, v)


def inputs(v: Variables, op: Op) -> list[tuple[Op, int]]:
    """Give what an op waits for in every order, with the latency in ns.

    F(s,j): F(s-1,j); back(s,j): back(s+1,j), on the last stage F(s,j); W(s,j): back(s,j). Within a
    kind also the microbatch before, but not for W where the stage may choose.
    """
    problem, s, j = v.problem, op.stage, op.microbatch
    found: list[tuple[Op, int]] = []
    if op.part == Part.WEIGHT:
        found.append((Op(Part.BACKWARD, s, j), 0))
    elif op.part == Part.FORWARD:
        if s > 0:
            found.append((Op(Part.FORWARD, s - 1, j), int(problem.forward_latency[s])))
    elif s + 1 < problem.stages:
        found.append((Op(Part.BACKWARD, s + 1, j), int(problem.backward_latency[s])))
    else:
        found.append((Op(Part.FORWARD, s, j), 0))
    if j > 0 and (op.part != Part.WEIGHT or not problem.may_fuse[s]):
        found.append((Op(op.part, s, j - 1), 0))
    return found


def _dependencies(model: Model, windows: Windows, v: Variables) -> None:
    """e(i) >= e(k) + latency + t(i) for every k that i waits for in every order."""
    for op, end in v.end.items():
        time, changes = v.time(windows, op)
        for source, latency in inputs(v, op):
            model.at_least(
                [(1, end), (-1, v.end[source]), *_negative(changes)],
                windows.scaled(latency) + time,
            )


def _one_op_at_a_time(model: Model, windows: Windows, v: Variables, rank: int) -> None:
    """e(k) >= e(i) + t(k) - M (1 - x(i,k)) for all i, k whose order is not given.

    M is the most by which the row can be broken: the latest end of i less the earliest start of k.
    """
    for a, b in permutations(v.ops[rank], 2):
        constant, terms = v.before(a, b)
        if not terms:
            continue
        time, changes = v.time(windows, b)
        longest = time + max(0.0, *(factor for factor, _ in changes), 0.0)
        latest = windows.scaled(windows.latest_end(a))
        most = latest + longest - windows.scaled(windows.earliest_end(b))
        if most <= 0:
            continue
        model.at_least(
            [
                (1, v.end[b]),
                (-1, v.end[a]),
                *_negative(changes),
                *((-most * factor, variable) for factor, variable in terms),
            ],
            time - most * (1 - constant),
        )


def _fused(model: Model, v: Variables, rank: int) -> None:
    """Put a W that does not run right behind its BW, and the others in order.

    For every other op i of the rank: x(back(s,j),i) >= x(W(s,j),i) >= x(back(s,j),i) - 1 + f(s,j).
    For j < k: x(W(s,j),W(s,k)) >= 1 - f(s,j) - f(s,k).
    """
    for w in v.ops[rank]:
        if w.part != Part.WEIGHT or (w.stage, w.microbatch) not in v.fused:
            continue
        fused = v.fused[w.stage, w.microbatch]
        backward = Op(Part.BACKWARD, w.stage, w.microbatch)
        for other in v.ops[rank]:
            if other in (w, backward):
                continue
            of_w, w_terms = v.before(w, other)
            of_b, b_terms = v.before(backward, other)
            if not w_terms and not b_terms:
                continue
            model.at_least([*b_terms, *_negative(w_terms)], of_w - of_b)
            model.at_least([*w_terms, *_negative(b_terms), (-1, fused)], of_b - of_w - 1)
            is_later = other.part == Part.WEIGHT and other.stage == w.stage
            if is_later and other.microbatch > w.microbatch:
                both = [(1.0, fused), (1.0, v.fused[other.stage, other.microbatch])]
                model.at_least([*w_terms, *both], 1 - of_w)


def _memory(model: Model, v: Variables, rank: int) -> None:
    """Sum over k of x(k,i) * memory(k) + what i takes on top <= capacity, for every op i.

    On top come an increase of i itself and its workspace. back(s,j) counts with B's memory in
    either case, since a W that does not run stands right behind it and gives W's back. Bytes are
    divided by the greatest common divisor of all, and further where they are still large.
    """
    problem, ops = v.problem, v.ops[rank]
    capacity = int(problem.capacity[rank])
    change = {op: int(problem.memory[op.stage, kinds(problem, op)[0]]) for op in ops}
    rises = {op: _rises(v, op) for op in ops}
    figures = [*change.values(), *(rise for pair in rises.values() for rise in pair)]
    unit = int(np.gcd.reduce(figures)) or 1
    room = capacity // unit
    scale = max(1.0, max(abs(figure) for figure in figures) / unit / _MOST_BYTES)
    for op in ops:
        rise, otherwise = rises[op]
        if capacity >= 0 and rise <= 0 and otherwise <= 0:
            continue
        held = 0
        terms: list[Term] = []
        for other in ops:
            if other != op and change[other]:
                constant, signed = v.before(other, op)
                held += change[other] // unit * constant
                terms += [(change[other] // unit * c / scale, x) for c, x in signed]
        if rise != otherwise:
            fused = v.fused[op.stage, op.microbatch]
            terms.append(((otherwise - rise) / unit / scale, fused))
        model.at_least(_negative(terms), (held + rise // unit - room) / scale)


def _rises(v: Variables, op: Op) -> tuple[int, int]:
    """Give what an op takes on top of what is held before it, split and fused, in bytes.

    A W that does not run asks for nothing. As BW before it fits, with rise(BW), and what is held
    behind it is counted with B's change, its own row holds if it asks for rise(BW) - memory(B).
    """
    problem = v.problem

    def rise(kind: int) -> int:
        memory, workspace = problem.memory[op.stage, kind], problem.workspace[op.stage, kind]
        return int(max(memory, 0) + workspace)

    kind, instead = kinds(problem, op)
    if instead is None:
        return rise(kind), rise(kind)
    if op.part == Part.BACKWARD:
        return rise(kind), rise(instead)
    return rise(W), min(rise(W), rise(BW) - int(problem.memory[op.stage, B]))


def _no_circles(model: Model, v: Variables) -> None:
    """q(i) >= q(k) + 1 where k comes before i or i waits for it, among ops that may take no time.

    A circle of ops that wait for each other is impossible where one of them takes time.
    """
    most = len(v.place)
    for a, b in permutations(v.place, 2):
        waits = any(source == a for source, _ in inputs(v, b))
        same_rank = v.problem.rank_of[a.stage] == v.problem.rank_of[b.stage]
        constant, terms = v.before(a, b) if same_rank else (0, [])
        if waits or constant or terms:
            constant = 1 if waits else constant
            model.at_least(
                [
                    (1, v.place[b]),
                    (-1, v.place[a]),
                    *((-most * factor, variable) for factor, variable in terms),
                ],
                1 - most * (1 - constant),
            )


def _earliest_first_starts(model: Model, windows: Windows, v: Variables) -> None:
    """Let no rank begin later than its order allows, for that would lower its span.

    Only ranks whose first start the order decides need this. An op that must be early, F(s,0) of
    the rank's first stage to begin with, starts at 0 or exactly when its input is there, or when
    an op before it on its rank ends, and then the op that it waited for must be early as well. This
    goes back to time 0, so that the start is the length of a path through the order: no later than
    the earliest start, which is the longest path's. Only F's of stages before the last such first
    stage can be on a path: all else depends on its F(s,0).
    """
    problem = v.problem
    starts = constant_first_starts(problem)
    late = [s for s, start in zip(first_stages(problem), starts, strict=True) if start is None]
    if not late:
        return
    early = {
        Op(Part.FORWARD, s, j): model.binary()
        for s in range(max(late) + 1)
        for j in range(problem.microbatches)
    }
    for s in late:
        model.at_least([(1, early[Op(Part.FORWARD, s, 0)])], 1)
    for op, needed in early.items():
        time, _ = v.time(windows, op)
        begins_all = op.stage == 0 and op.microbatch == 0
        reasons: list[Term] = []
        latency = {source: latency for source, latency in inputs(v, op) if source.stage < op.stage}
        for other in early:
            is_stale = other.stage == op.stage and other.microbatch != op.microbatch - 1
            if other == op or is_stale:
                continue
            same_rank = problem.rank_of[other.stage] == problem.rank_of[op.stage]
            constant, terms = v.before(other, op) if same_rank else (0, [])
            if other in latency:
                constant, terms = 1, []
            elif not constant and not terms:
                continue
            reason = model.binary()
            reasons.append((1, reason))
            model.at_least([(1, early[other]), (-1, reason)], 0)
            model.at_least([*terms, (-1, reason)], -constant)
            gap = windows.scaled(latency.get(other, 0)) + time
            latest = windows.scaled(windows.latest_end(op))
            most = max(0.0, latest - gap - windows.scaled(windows.earliest_end(other)))
            model.at_least([(-1, v.end[op]), (1, v.end[other]), (-most, reason)], -gap - most)
        if begins_all:
            model.at_least([(-1, v.end[op])], -time)
        else:
            model.at_least([*reasons, (-1, needed)], 0)


def _negative(terms: list[Term]) -> list[Term]:
    return [(-factor, variable) for factor, variable in terms]
