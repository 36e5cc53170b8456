"""Small models in layers."""

from __future__ import annotations

from typing import Any


def op(f: float, b: float, w: float, *, count: int = 1, held: float = 2) -> dict[str, Any]:
    """Give a layer by its times; half of what F holds is given back by B, half by W."""
    return {
        "F": {"time": f, "memory": held},
        "B": {"time": b, "memory": -held / 2},
        "W": {"time": w, "memory": -held / 2},
        "count": count,
    }


def model_of(*layers: dict[str, Any], ranks: int = 4, **keys: Any) -> dict[str, Any]:
    """Give a profile in layers, for 8 microbatches."""
    return {
        "schema": "nobubble.profile/1",
        "time_unit": "ms",
        "memory_unit": "GB",
        "ranks": ranks,
        "microbatches": 8,
        "layers": list(layers),
        "communication": 0.5,
        **keys,
    }
