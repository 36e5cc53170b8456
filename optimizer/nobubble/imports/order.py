"""From a table to the order of ops that it describes."""

from __future__ import annotations

from nobubble.imports.table import OPS, Cell, Table
from nobubble.order import Order, letter
from nobubble.problem import KINDS
from nobubble.profile.wording import enumerated

_KIND_OF = {name: kind for kind, name in enumerate(KINDS)}


def order_of_table(table: Table) -> Order:
    """Give the order of a complete table.

    Microbatches are alike, so every stage's F's, backwards and W's are numbered by their place.
    No op can start later for that: the k-th of a stage waits for the k-th of the stage before, in
    the place of one that may be any.
    """
    return Order.of(
        [
            letter(cell.step.stage, _KIND_OF[cell.step.op])
            for cell in row
            if cell.step.op in _KIND_OF
        ]
        for row in table.rows
    )


def renumbering(table: Table) -> list[str]:
    """Say which stages run microbatches in another order than their own, if any do."""
    last: dict[tuple[str, int], Cell] = {}
    stages: set[int] = set()
    example = ""
    for row in table.rows:
        for cell in row:
            op, stage, microbatch = cell.step
            if op not in OPS:
                continue
            key = ("B" if op == "BW" else op, stage)
            before = last.get(key)
            if before is not None and before.step.microbatch > microbatch:
                stages.add(stage)
                example = example or f"{cell} comes after {before.text}"
            last[key] = cell
    if not stages:
        return []
    return [
        f"{example}: the microbatches of stages {enumerated(sorted(stages))} are numbered by their "
        "place, and no op starts later for it; as it stands the table may wait longer"
    ]
