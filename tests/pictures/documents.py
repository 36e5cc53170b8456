"""Schedules to draw: orders made by hand, timed and written as documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nobubble.bounds.bound import Bound
from nobubble.order import Order, letter
from nobubble.problem import BW, B, F, Problem, W
from nobubble.profile.model import Cost, Objective, Profile, Stage
from nobubble.schedule.building import build_schedule
from nobubble.schedule.document import ScheduleDocument
from nobubble.timing import time_of

MIB = 2**20
MS = 10**6


def stage_of(
    forward: int = 10 * MS,
    backward: int = 11 * MS,
    weight: int = 9 * MS,
    held: int = 100 * MIB,
    *,
    fused: bool = False,
) -> Stage:
    """Make a stage that holds memory from F, gives half back at B and the rest at W."""
    return Stage(
        F=Cost(forward, held, held // 4),
        B=Cost(backward, -(held // 2)),
        W=Cost(weight, held // 2 - held),
        BW=Cost(backward + weight, -held),
        backward="fused" if fused else "split",
    )


def profile_of(
    stages: Sequence[Stage],
    microbatches: int,
    *,
    placement: Sequence[int] | None = None,
    communication: int = MS,
    memory_limit: int | None = None,
    name: str | None = "test",
    objective: Objective = "makespan",
    units: tuple[str, str] = ("ms", "MiB"),
) -> Profile:
    """Make a complete profile."""
    placement = tuple(range(len(stages))) if placement is None else tuple(placement)
    ranks = max(placement) + 1
    return Profile(
        name=name,
        time_unit=units[0],
        memory_unit=units[1],
        ranks=ranks,
        microbatches=microbatches,
        placement=placement,
        stages=tuple(stages),
        communication_forward=(communication,) * (len(stages) - 1),
        communication_backward=(communication,) * (len(stages) - 1),
        memory_limit=(memory_limit,) * ranks,
        static_memory=(50 * MIB if memory_limit is not None else 0,) * ranks,
        objective=objective,
    )


def zb_h1(ranks: int, microbatches: int) -> Order:
    """Warm up with p - r F's, then B, a W that lags by r, F."""
    rows = []
    for rank in range(ranks):
        warm_up = min(microbatches, ranks - rank)
        row = [letter(rank, F)] * warm_up
        for j in range(microbatches):
            row.append(letter(rank, B))
            row += [letter(rank, W)] if j >= rank else []
            row += [letter(rank, F)] if warm_up + j < microbatches else []
        rows.append(row + [letter(rank, W)] * min(rank, microbatches))
    return Order.of(rows)


def one_f_one_b(ranks: int, microbatches: int) -> Order:
    """Warm up with p - 1 - r F's, then F and BW in turn."""
    rows = []
    for rank in range(ranks):
        warm_up = min(microbatches, ranks - 1 - rank)
        steady = [letter(rank, F), letter(rank, BW)] * (microbatches - warm_up)
        rows.append([letter(rank, F)] * warm_up + steady + [letter(rank, BW)] * warm_up)
    return Order.of(rows)


def level_by_level(placement: Sequence[int], microbatches: int, in_flight: int) -> Order:
    """Run every op at its level in the graph of dependencies: for any placement.

    At most that many microbatches are between the first stage's F and B.
    """
    last = len(placement) - 1
    rows: list[list[tuple[int, int]]] = [[] for _ in range(max(placement) + 1)]
    for j in range(microbatches):
        begin = (j // in_flight) * (2 * last + 2) + 2 * (j % in_flight)
        for stage, rank in enumerate(placement):
            backward_at = begin + 2 * last + 1 - stage
            rows[rank] += [
                (begin + stage, letter(stage, F)),
                (backward_at, letter(stage, B)),
                (backward_at + 3, letter(stage, W)),
            ]
    return Order.of([[op for _, op in sorted(row, key=lambda op: op[0])] for row in rows])


def document_of(profile: Profile, order: Order, *, bound: int | None = None) -> ScheduleDocument:
    """Time an order and write it as a document; without a bound it is called optimal."""
    problem = Problem.of(profile)
    timing = time_of(problem, order)
    cost = timing.cost(problem)
    return build_schedule(
        profile,
        problem,
        order,
        timing,
        Bound("cpsat", cost if bound is None else bound),
        method="by-hand",
        stopped_by="completed",
        options={},
    )


def linear_document(
    ranks: int,
    microbatches: int,
    *,
    order: Callable[[int, int], Order] = zb_h1,
    stage: Stage | None = None,
    memory_limit: int | None = 2000 * MIB,
    name: str | None = "test",
) -> ScheduleDocument:
    """Make a schedule of equal stages, one a rank."""
    profile = profile_of(
        [stage or stage_of()] * ranks, microbatches, memory_limit=memory_limit, name=name
    )
    return document_of(profile, order(ranks, microbatches))


def v_document(ranks: int, microbatches: int) -> ScheduleDocument:
    """Make a schedule of two stages a rank, placed as a V."""
    placement = [*range(ranks), *reversed(range(ranks))]
    stages = [stage_of(5 * MS, 6 * MS, 4 * MS, 50 * MIB)] * (2 * ranks)
    profile = profile_of(
        stages, microbatches, placement=placement, memory_limit=4000 * MIB, name="v"
    )
    return document_of(profile, level_by_level(placement, microbatches, 2 * ranks), bound=MS)
