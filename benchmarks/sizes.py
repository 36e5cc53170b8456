"""The paper's 28.3B model on any number of ranks, for what depends on the size alone."""

from __future__ import annotations

from dataclasses import replace

from nobubble.profile.model import Objective, Profile
from tests.published import HALF, row_profile, table_rows


def sized(
    ranks: int, microbatches: int, *, objective: Objective = "rank_span", memory: float = 2
) -> Profile:
    """Give the model on some ranks, with a multiple of 1F1B's memory."""
    row = next(row for row in table_rows() if row["model"] == "28.3B")
    row = {**row, "ranks": ranks, "microbatches": microbatches}
    return replace(
        row_profile(row, None, objective=objective),
        name=f"p{ranks}-m{microbatches}",
        memory_limit=(int(memory * 2 * HALF * ranks),) * ranks,
    )
