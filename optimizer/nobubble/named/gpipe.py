"""GPipe: every forward, then every backward (Huang et al., arXiv 1811.06965)."""

from __future__ import annotations

from nobubble.order import Order, letter
from nobubble.problem import BW, F, Problem


def gpipe(problem: Problem) -> Order:
    """Run all F's stage by stage, then all BW's stage by stage in reverse; on any placement."""
    m = problem.microbatches
    rows = []
    for rank in range(problem.ranks):
        stages = problem.stages_on(rank)
        row = []
        for stage in stages:
            row += [letter(stage, F)] * m
        for stage in reversed(stages):
            row += [letter(stage, BW)] * m
        rows.append(row)
    return Order.of(rows)
