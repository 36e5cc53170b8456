"""A body for every call, as the documentation shows it; a test sends them all."""

from __future__ import annotations

from typing import Any, Final

_OP = {"F": {"time": 30}, "B": {"time": 30}, "W": {"time": 20}}
_LIMITED = {
    "F": {"time": 30, "memory": 2},
    "B": {"time": 30, "memory": -1},
    "W": {"time": 20, "memory": -1},
}
PROFILE: Final[dict[str, Any]] = {
    "schema": "nobubble.profile/1",
    "time_unit": "ms",
    "ranks": 4,
    "microbatches": 8,
    "stages": _OP,
    "communication": 1,
}
LIMITED: Final[dict[str, Any]] = {
    **PROFILE,
    "name": "four ranks in 6 GiB",
    "memory_unit": "GiB",
    "stages": _LIMITED,
    "memory_limit": 6,
}

SOLVE: Final = {
    "defaults": {"summary": "All defaults", "value": {"profile": PROFILE}},
    "options": {
        "summary": "Within a memory limit, for rank span",
        "value": {
            "profile": LIMITED,
            "options": {"objective": "rank_span", "effort": "fast", "seed": 1, "time_limit": 10},
        },
    },
}
JOB: Final = {
    "job": {
        "summary": "With a name and tags",
        "value": {
            "profile": LIMITED,
            "options": {"method": "greedy"},
            "name": "nightly",
            "tags": ["ci", "6b"],
        },
    }
}
LOOK: Final = {"profile": {"summary": "A profile", "value": {"profile": LIMITED}}}
MODEL: Final[dict[str, Any]] = {
    **LIMITED,
    "name": "ten layers on two ranks",
    "ranks": 2,
    "stages": None,
    "layers": [
        {"name": "embedding", "F": {"time": 2}, "B": {"time": 0}, "W": {"time": 3}},
        {"name": "block", "count": 8, **_LIMITED},
        {"name": "head", "F": {"time": 9}, "B": {"time": 9}, "W": {"time": 9}},
    ],
    "memory_limit": 60,
}
COMPARE: Final = {
    "layers": {
        "summary": "A model in layers",
        "value": {
            "profile": {key: value for key, value in MODEL.items() if value is not None},
            "options": {"effort": "fast", "partition": "min-max"},
        },
    }
}
CHECK: Final = {
    "solved": {
        "summary": "What solve gave, against a profile",
        "value": {
            "schedule": {"schema": "nobubble.schedule/1", "...": "as POST /v1/solve gives it"},
            "profile": PROFILE,
        },
    }
}
