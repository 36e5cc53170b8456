"""What was measured, put together from all ranks: a profile, and how much it varied."""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from nobubble_torch.measuring.samples import Held, Key


class Spread(NamedTuple):
    """How much the times of an op of a stage vary, in ns."""

    op: str
    stage: int
    samples: int
    median: int
    lower_quartile: int
    upper_quartile: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RankFigures:
    """What one rank measured.

    Attributes
    ----------
    durations : mapping of (str, int) to list of int
        By op and stage, in ns.
    held : mapping of (str, int) to list of Held
    static : int
        Bytes held throughout, but for what the runtime keeps until a step's end.
    times_of_messages : sequence of (int, int)
        By link, of activations and gradients, in ns; 0 where another rank measures.
    memory_limit : int or None
    """

    durations: Mapping[Key, Sequence[int]]
    held: Mapping[Key, Sequence[Held]]
    static: int
    times_of_messages: Sequence[tuple[int, int]]
    memory_limit: int | None


@dataclass(frozen=True, slots=True)
class Measured:
    """A profile as it was measured.

    Attributes
    ----------
    profile : dict
        A `nobubble.profile/1`, in whole ns and bytes.
    spread : tuple of Spread
        Of every op of every stage.
    """

    profile: dict[str, Any]
    spread: tuple[Spread, ...]

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the profile as JSON."""
        Path(path).write_text(json.dumps(self.profile, indent=1) + "\n", encoding="utf-8")

    def table(self) -> str:
        """Give the times as text, a line for every op of every stage, in ms."""
        lines = ["stage  op    median  quartiles        samples"]
        for it in self.spread:
            low, middle, high = (
                value / 1e6 for value in (it.lower_quartile, it.median, it.upper_quartile)
            )
            lines.append(
                f"{it.stage:5}  {it.op:2}  {middle:8.3f}  {low:.3f} to {high:<8.3f} {it.samples:8}"
            )
        return "\n".join(lines)


def assembled(
    ranks: Sequence[RankFigures], placement: Sequence[int], microbatches: int, split: bool
) -> Measured:
    """Make a profile of what all ranks measured.

    Memory adds up to 0 over F, B and W: what is still held after W (outputs that are being sent,
    gradients of inputs) PyTorch keeps until the step ends, and counts as static, once for every
    microbatch.
    """
    stages, spread = [], []
    static = [its.static for its in ranks]
    for stage, rank in enumerate(placement):
        costs, kept = _costs(ranks[rank], stage, split)
        stages.append(costs)
        static[rank] += microbatches * kept
        spread += _spread(ranks[rank], stage)
    times = [ranks[rank].times_of_messages for rank in placement[:-1]]
    document: dict[str, Any] = {
        "schema": "nobubble.profile/1",
        "time_unit": "ns",
        "memory_unit": "B",
        "ranks": len(ranks),
        "microbatches": microbatches,
        "placement": list(placement),
        "stages": stages,
        "communication": {
            "F": [its[link][0] for link, its in enumerate(times)],
            "B": [its[link][1] for link, its in enumerate(times)],
        },
        "static_memory": static,
    }
    if any(its.memory_limit is not None for its in ranks):
        document["memory_limit"] = [its.memory_limit for its in ranks]
    return Measured(document, tuple(spread))


def _costs(figures: RankFigures, stage: int, split: bool) -> tuple[dict[str, Any], int]:
    """Give a stage of the profile, and the bytes kept for a microbatch after its last op."""

    def time(op: str) -> int:
        return statistics.median_low(figures.durations[op, stage])

    def change(op: str) -> int:
        return statistics.median_low(it.after - it.before for it in figures.held[op, stage])

    def workspace(op: str) -> int:
        return statistics.median_low(
            it.peak - max(it.before, it.after) for it in figures.held[op, stage]
        )

    if not split:
        kept = max(0, change("F") + change("BW"))
        forward = max(0, change("F") - kept)
        both = {"time": time("BW"), "memory": -forward, "workspace": workspace("BW")}
        return {
            "F": {"time": time("F"), "memory": forward, "workspace": workspace("F")},
            "B": both,
            "W": {"time": 0, "memory": 0},
            "BW": both,
            "backward": "fused",
        }, kept
    kept = max(0, change("F") + change("B") + change("W"))
    forward = max(0, change("F") - kept)
    inputs = max(change("B"), -forward)
    return {
        "F": {"time": time("F"), "memory": forward, "workspace": workspace("F")},
        "B": {"time": time("B"), "memory": inputs, "workspace": workspace("B")},
        "W": {"time": time("W"), "memory": -(forward + inputs), "workspace": workspace("W")},
        "BW": {"time": time("BW"), "memory": -forward, "workspace": workspace("BW")},
    }, kept


def _spread(figures: RankFigures, stage: int) -> list[Spread]:
    found = []
    for op in ("F", "B", "W", "BW"):
        times = figures.durations.get((op, stage))
        if times:
            low, _, high = statistics.quantiles(times, n=4) if len(times) > 1 else [*times] * 3
            middle = statistics.median_low(times)
            found.append(Spread(op, stage, len(times), middle, round(low), round(high)))
    return found
