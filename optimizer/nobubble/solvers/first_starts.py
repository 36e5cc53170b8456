"""When every rank can begin: what rank span is counted from.

A rank's first op is F of its lowest stage and microbatch 0: all its other ops depend on that one.
"""

from __future__ import annotations

from nobubble.problem import F, Problem


def first_stages(problem: Problem) -> list[int]:
    """Give the lowest stage of every rank."""
    return [problem.stages_on(rank)[0] for rank in range(problem.ranks)]


def constant_first_starts(problem: Problem) -> list[int | None]:
    """Give the earliest first start of every rank in ns, None where it depends on the order.

    F of stage s and microbatch 0 is the first op of its rank where no stage before s shares the
    rank. Where that holds for all stages up to a rank's first one, nothing can hold the chain of
    F's up to it, as in linear, interleaved and v placements. Otherwise an F of another microbatch
    may run in between.
    """
    first = first_stages(problem)
    starts: list[int | None] = [None] * problem.ranks
    begun = 0
    for stage in range(problem.stages):
        rank = int(problem.rank_of[stage])
        if first[rank] != stage:
            break
        begun += int(problem.forward_latency[stage])
        starts[rank] = begun
        begun += int(problem.time[stage, F])
    return starts
