"""The names that `--method` and `--effort` take."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

NAMED_SCHEDULES: Final = (
    "gpipe",
    "1f1b",
    "interleaved-1f1b",
    "zb-h1",
    "zb-h2",
    "zb-v",
    "v-half",
    "v-min",
)
"""Schedules with a fixed definition, which run backward in their own way."""

IMPORTED: Final = "imported"
"""What made a schedule that came from elsewhere; it too runs backward in its own way."""

METHODS: Final = ("auto", "greedy", "zb-auto", "search", "cpsat", "milp", *NAMED_SCHEDULES)
"""`auto` takes the best of the heuristics, the search and, on small problems, CP-SAT."""

Effort: TypeAlias = Literal["fast", "normal", "max"]

EFFORTS: Final[tuple[Effort, ...]] = ("fast", "normal", "max")
"""How much work goes into an answer: heuristics only, some seconds, or some minutes."""
