"""Random profiles and orders for properties that must hold of all."""

from __future__ import annotations

from hypothesis import strategies as st

from nobubble.order import Order, letter
from nobubble.problem import BW, B, F, Problem, W
from nobubble.profile.model import Backward, Cost, Objective, Profile, Stage

TIMES = st.integers(0, 60)
BACKWARDS: tuple[Backward, ...] = ("split", "fused", "auto")
OBJECTIVES: tuple[Objective, ...] = ("makespan", "rank_span")


@st.composite
def stages(draw: st.DrawFn, backwards: tuple[Backward, ...] = BACKWARDS) -> Stage:
    """Draw a stage with signed memory and workspaces; BW may be dearer or cheaper than B + W."""
    held = draw(st.integers(0, 100))
    at_b = draw(st.integers(-held, 60))
    workspace = st.sampled_from((0, 0, 0, 5, 40))
    return Stage(
        F=Cost(draw(TIMES), held, draw(workspace)),
        B=Cost(draw(TIMES), at_b, draw(workspace)),
        W=Cost(draw(TIMES), -held - at_b, draw(workspace)),
        BW=Cost(draw(st.integers(0, 100)), -held, draw(workspace)),
        backward=draw(st.sampled_from(backwards)),
    )


@st.composite
def placements(draw: st.DrawFn) -> tuple[int, ...]:
    """Draw the rank of every stage: linear, interleaved, v, or any."""
    ranks = draw(st.integers(1, 4))
    kind = draw(st.sampled_from(("linear", "interleaved", "v", "any")))
    if kind == "linear":
        return tuple(range(ranks))
    if kind == "interleaved":
        return tuple(s % ranks for s in range(draw(st.integers(ranks, 2 * ranks + 1))))
    if kind == "v":
        return (*range(ranks), *reversed(range(ranks)))
    others = draw(st.lists(st.integers(0, ranks - 1), max_size=3))
    return tuple(draw(st.permutations([*range(ranks), *others])))


@st.composite
def profiles(
    draw: st.DrawFn,
    backwards: tuple[Backward, ...] = BACKWARDS,
    of_placement: st.SearchStrategy[tuple[int, ...]] = placements(),  # noqa: B008
    with_limits: bool = False,
) -> Profile:
    """Draw a profile, without memory limits unless asked for."""
    placement = draw(of_placement)
    count, ranks = len(placement), max(placement) + 1
    links = st.lists(st.integers(0, 30), min_size=count - 1, max_size=count - 1)
    limits = st.none() | st.integers(0, 1000) if with_limits else st.none()
    return Profile(
        name=None,
        time_unit="ns",
        memory_unit="B",
        ranks=ranks,
        microbatches=draw(st.integers(1, 6)),
        placement=placement,
        stages=tuple(draw(stages(backwards)) for _ in range(count)),
        communication_forward=tuple(draw(links)),
        communication_backward=tuple(draw(links)),
        memory_limit=tuple(draw(st.lists(limits, min_size=ranks, max_size=ranks))),
        static_memory=tuple(draw(st.lists(st.integers(0, 50), min_size=ranks, max_size=ranks))),
        objective=draw(st.sampled_from(OBJECTIVES)),
    )


@st.composite
def orders(draw: st.DrawFn, problem: Problem) -> Order:
    """Draw an order without circles, by appending ops whose inputs have run, in any sequence."""
    m, last = problem.microbatches, problem.stages - 1
    done = {(s, kind): 0 for s in range(problem.stages) for kind in range(4)}

    def backwards(stage: int) -> int:
        return done[stage, B] + done[stage, BW]

    rows: list[list[int]] = [[] for _ in range(problem.ranks)]
    while True:
        ready = []
        for s in range(problem.stages):
            forwards = done[s, F]
            if forwards < (m if s == 0 else done[s - 1, F]):
                ready.append((s, F))
            if backwards(s) < (forwards if s == last else backwards(s + 1)):
                ready += [(s, B)] * bool(problem.may_split[s])
                ready += [(s, BW)] * bool(problem.may_fuse[s])
            if done[s, W] < done[s, B]:
                ready.append((s, W))
        if not ready:
            return Order.of(rows)
        stage, kind = draw(st.sampled_from(ready))
        done[stage, kind] += 1
        rows[problem.rank_of[stage]].append(letter(stage, kind))
