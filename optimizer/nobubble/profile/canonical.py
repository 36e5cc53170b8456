"""The canonical form of a profile: equal for equal problems, and what hashes are taken of."""

from __future__ import annotations

import hashlib
import json

from nobubble.profile.model import Cost, Profile, Stage


def canonical_form(profile: Profile) -> dict[str, object]:
    """Give a profile in whole nanoseconds and bytes, every default filled in, without its name.

    The result is itself a valid `nobubble.profile/1`, however the profile was written.
    """
    return {
        "schema": "nobubble.profile/1",
        "time_unit": "ns",
        "memory_unit": "B",
        "ranks": profile.ranks,
        "microbatches": profile.microbatches,
        "placement": list(profile.placement),
        "stages": [_stage(stage) for stage in profile.stages],
        "communication": {
            "F": list(profile.communication_forward),
            "B": list(profile.communication_backward),
        },
        "memory_limit": list(profile.memory_limit),
        "static_memory": list(profile.static_memory),
        "objective": profile.objective,
    }


def canonical_bytes(profile: Profile) -> bytes:
    """Give the canonical form as ASCII JSON, keys sorted, no white space."""
    form = canonical_form(profile)
    return json.dumps(form, sort_keys=True, separators=(",", ":")).encode("ascii")


def profile_sha256(profile: Profile) -> str:
    """Give the SHA-256 of the canonical form, in hexadecimal."""
    return hashlib.sha256(canonical_bytes(profile)).hexdigest()


def _stage(stage: Stage) -> dict[str, object]:
    return {
        "F": _cost(stage.F),
        "B": _cost(stage.B),
        "W": _cost(stage.W),
        "BW": _cost(stage.BW),
        "backward": stage.backward,
    }


def _cost(cost: Cost) -> dict[str, int]:
    return {"time": cost.time, "memory": cost.memory, "workspace": cost.workspace}
