"""Interleaved 1F1B (Narayanan et al., arXiv 2104.04473), for any m, S and group size."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from nobubble.named.placements import require_interleaved
from nobubble.order import Order, letter
from nobubble.problem import BW, F, Problem


def interleaved_1f1b(problem: Problem, group: int | None = None) -> Order:
    """Take microbatches in groups through a rank's chunks, one F and one BW in turn.

    With v chunks a rank and groups of G microbatches, rank r runs 2(p - 1 - r) + (v - 1)G F's,
    then F and BW in turn, then the BW's that are left. F's go group by group, in a group chunk by
    chunk, in a chunk microbatch by microbatch; BW's likewise with the chunks in reverse.

    That needs m to be a multiple of G and S of p. For others the order is the one for the next
    multiples, without the ops of the microbatches and stages that do not exist: leaving ops out
    of an order that does not block gives one that does not block.

    Where G is less than p, F and BW in turn would block: a chunk's F's are not there yet when the
    BW's are due. So a rank then runs a BW as soon as it is there, and F's while no more of its
    microbatches are in flight than that, all in slots of unit time.

    Parameters
    ----------
    problem : Problem
    group : int, optional
        G, at least 1; default p.

    Raises
    ------
    MethodError
        The placement is not interleaved.
    """
    require_interleaved(problem, "interleaved-1f1b")
    p = problem.ranks
    group = p if group is None else min(group, max(p, problem.microbatches))
    sequences = [_sequences(problem, rank, group) for rank in range(p)]
    if group < p:
        return Order.of(_as_they_come(problem, group, sequences))
    rows = []
    for rank, (forwards, backwards) in enumerate(sequences):
        warm_up = min(len(forwards), _warm_up(problem, rank, group))
        row = forwards[:warm_up]
        for forward, backward in zip(forwards[warm_up:], backwards, strict=False):
            row += [forward, backward]
        row += backwards[len(forwards) - warm_up :]
        rows.append([op for op in row if op is not None])
    return Order.of(rows)


def _chunks(problem: Problem) -> int:
    """Give the most stages that a rank has."""
    return -(-problem.stages // problem.ranks)


def _warm_up(problem: Problem, rank: int, group: int) -> int:
    """Give how many F's a rank runs before its first BW."""
    return 2 * (problem.ranks - 1 - rank) + (_chunks(problem) - 1) * group


def _sequences(
    problem: Problem, rank: int, group: int
) -> tuple[list[int | None], list[int | None]]:
    """Give the letters of a rank's F's and of its BW's, None for those that do not exist."""
    p, m, chunks = problem.ranks, problem.microbatches, _chunks(problem)

    def ops(kind: int, chunk_order: Sequence[int]) -> list[int | None]:
        return [
            letter(chunk * p + rank, kind)
            if number * group + of_group < m and chunk * p + rank < problem.stages
            else None
            for number, chunk, of_group in product(range(-(-m // group)), chunk_order, range(group))
        ]

    return ops(F, range(chunks)), ops(BW, range(chunks - 1, -1, -1))


def _as_they_come(
    problem: Problem,
    group: int,
    sequences: Sequence[tuple[list[int | None], list[int | None]]],
) -> list[list[int]]:
    """Run, slot after slot, the next BW of every rank if it is there, else its next F if it is."""
    p, m, stages = problem.ranks, problem.microbatches, problem.stages
    queues = [[[op for op in ops if op is not None] for ops in both] for both in sequences]
    done = {(stage, kind): 0 for stage in range(stages) for kind in (F, BW)}
    rows: list[list[int]] = [[] for _ in range(p)]
    begun = [[0, 0] for _ in range(p)]

    def is_there(op: int) -> bool:
        stage, kind = divmod(op, 4)
        j = done[stage, kind]
        if kind == F:
            return stage == 0 or done[stage - 1, F] > j
        return done[stage, F] > j and (stage + 1 == stages or done[stage + 1, BW] > j)

    left = 2 * stages * m
    while left > 0:
        runs = []
        for rank in range(p):
            forwards, backwards = queues[rank]
            at_forward, at_backward = begun[rank]
            in_flight = at_forward - at_backward
            if at_backward < len(backwards) and is_there(backwards[at_backward]):
                runs.append((rank, 1, backwards[at_backward]))
            elif (
                at_forward < len(forwards)
                and in_flight <= _warm_up(problem, rank, group)
                and is_there(forwards[at_forward])
            ):
                runs.append((rank, 0, forwards[at_forward]))
        for rank, side, op in runs:
            begun[rank][side] += 1
            done[divmod(op, 4)] += 1
            rows[rank].append(op)
        left -= len(runs)
    return rows
