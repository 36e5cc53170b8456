"""Schedules that nobubble makes, as documents."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from nobubble.profile.reading import parse_profile
from nobubble.schedule.writing import json_text
from nobubble.solve import solve

NINE = (0, 1, 2, 3, 3, 1, 0, 2, 1)
"""Nine stages on four ranks, unevenly, with neighbours on one rank."""

_COSTS: dict[str, Any] = {
    "F": {"time": 10, "memory": 100},
    "B": {"time": 11, "memory": -60},
    "W": {"time": 8, "memory": -40},
}
_PROFILES: dict[str, dict[str, Any]] = {
    "linear": {"microbatches": 8},
    "v": {"microbatches": 7, "placement": "v"},
    "interleaved": {"microbatches": 8, "placement": "interleaved", "chunks": 2},
    "uneven": {"microbatches": 6, "placement": list(NINE)},
    "few": {"microbatches": 2},
    "one": {"microbatches": 1, "placement": "v"},
    "low-memory": {"microbatches": 8, "memory_limit": 200},
    "mixed": {
        "microbatches": 8,
        "stages": [
            {**_COSTS, "backward": "split"},
            {**_COSTS, "BW": {"time": 15}, "backward": "fused"},
            {**_COSTS, "BW": {"time": 17}, "backward": "auto"},
            {**_COSTS, "BW": {"time": 17}, "backward": "auto"},
        ],
    },
    "fused-v": {"microbatches": 6, "placement": "v", "stages": {**_COSTS, "backward": "fused"}},
    "rank-span": {"microbatches": 8, "objective": "rank_span"},
}
NAMES = tuple(_PROFILES)


@cache
def _text(name: str) -> str:
    data: dict[str, Any] = {
        "schema": "nobubble.profile/1",
        "name": name,
        "time_unit": "ms",
        "memory_unit": "MB",
        "ranks": 4,
        "stages": _COSTS,
        "communication": 1,
        **_PROFILES[name],
    }
    return json_text(solve(parse_profile(data), effort="fast"))


def schedule(name: str) -> dict[str, Any]:
    """Give a schedule of these cases, as read from JSON; the caller may change it."""
    document: dict[str, Any] = json.loads(_text(name))
    return document
