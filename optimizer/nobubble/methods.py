"""The names that `--method` and `--effort` take."""

from __future__ import annotations

import re
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

GROUPED: Final = "interleaved-1f1b"
"""The schedule that takes a group size after a colon; p without."""

GROUPED_PATTERN: Final = f"{GROUPED}:[1-9][0-9]{{0,5}}"
"""How it is written with one, as a regular expression."""

METHODS: Final = ("auto", "greedy", "zb-auto", "search", "cpsat", "milp", *NAMED_SCHEDULES)
"""`auto` takes the best of the heuristics, the search and, on small problems, CP-SAT."""

Effort: TypeAlias = Literal["fast", "normal", "max"]

EFFORTS: Final[tuple[Effort, ...]] = ("fast", "normal", "max")
"""How much work goes into an answer: heuristics only, some seconds, or some minutes."""


def is_named(method: str) -> bool:
    """Say whether a method is a schedule with a fixed definition, with a group size or without."""
    return method in NAMED_SCHEDULES or re.fullmatch(GROUPED_PATTERN, method) is not None


def is_method(method: str) -> bool:
    """Say whether a method exists."""
    return method in METHODS or is_named(method)
