"""Interleaved 1F1B (Narayanan et al., arXiv 2104.04473), for any m and S."""

from __future__ import annotations

from itertools import product

from nobubble.named.placements import require_interleaved
from nobubble.order import Order, letter
from nobubble.problem import BW, F, Problem


def interleaved_1f1b(problem: Problem) -> Order:
    """Take microbatches in groups of p through a rank's chunks, one F and one BW in turn.

    With v chunks a rank, rank r runs 2(p - 1 - r) + (v - 1)p F's, then F and BW in turn, then the
    BW's that are left. F's go group by group, in a group chunk by chunk, in a chunk microbatch by
    microbatch; BW's likewise with the chunks in reverse.

    That needs m and S to be multiples of p. For others the order is the one for the next
    multiples, without the ops of the microbatches and stages that do not exist: leaving ops out
    of an order that does not block gives one that does not block.

    Raises
    ------
    MethodError
        The placement is not interleaved.
    """
    require_interleaved(problem, "interleaved-1f1b")
    p, m = problem.ranks, problem.microbatches
    chunks = -(-problem.stages // p)
    groups = -(-m // p)
    rows = []
    for rank in range(p):

        def ops(kind: int, chunk_order: range, rank: int = rank) -> list[int | None]:
            """Give the letters of one kind, None for those that do not exist."""
            return [
                letter(chunk * p + rank, kind)
                if group * p + of_group < m and chunk * p + rank < problem.stages
                else None
                for group, chunk, of_group in product(range(groups), chunk_order, range(p))
            ]

        forwards = ops(F, range(chunks))
        backwards = ops(BW, range(chunks - 1, -1, -1))
        warm_up = min(len(forwards), 2 * (p - 1 - rank) + (chunks - 1) * p)
        row = forwards[:warm_up]
        for forward, backward in zip(forwards[warm_up:], backwards, strict=False):
            row += [forward, backward]
        row += backwards[len(forwards) - warm_up :]
        rows.append([op for op in row if op is not None])
    return Order.of(rows)
