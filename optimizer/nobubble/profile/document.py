"""A complete profile as a document, in the user's own units: what a schedule carries with it."""

from __future__ import annotations

from decimal import Decimal

from nobubble.profile.model import Cost, Profile, Stage
from nobubble.units import MEMORY_UNITS, TIME_UNITS, in_unit


def profile_document(profile: Profile) -> dict[str, object]:
    """Give a profile with every default filled in, in its own units.

    Numbers are int, or Decimal where they are not whole, and always exact: units are powers of
    ten or two, so nothing has more decimals than can be written. Reading the document again
    gives an equal profile.
    """
    time = TIME_UNITS[profile.time_unit]
    memory = MEMORY_UNITS[profile.memory_unit]
    parted = {} if profile.partition is None else {"partition": list(profile.partition)}
    named = {} if profile.name is None else {"name": profile.name}
    return {
        "schema": "nobubble.profile/1",
        **named,
        "time_unit": profile.time_unit,
        "memory_unit": profile.memory_unit,
        "ranks": profile.ranks,
        "microbatches": profile.microbatches,
        "placement": list(profile.placement),
        "stages": [_stage(stage, time, memory) for stage in profile.stages],
        **parted,
        "communication": {
            "F": [in_unit(value, time) for value in profile.communication_forward],
            "B": [in_unit(value, time) for value in profile.communication_backward],
        },
        "memory_limit": [
            None if value is None else in_unit(value, memory) for value in profile.memory_limit
        ],
        "static_memory": [in_unit(value, memory) for value in profile.static_memory],
        "objective": profile.objective,
    }


def _stage(stage: Stage, time: int, memory: int) -> dict[str, object]:
    """Give a stage; `time` and `memory` are the factors of the units."""
    return {
        "F": _cost(stage.F, time, memory),
        "B": _cost(stage.B, time, memory),
        "W": _cost(stage.W, time, memory),
        "BW": _cost(stage.BW, time, memory),
        "backward": stage.backward,
    }


def _cost(cost: Cost, time: int, memory: int) -> dict[str, int | Decimal]:
    return {
        "time": in_unit(cost.time, time),
        "memory": in_unit(cost.memory, memory),
        "workspace": in_unit(cost.workspace, memory),
    }
