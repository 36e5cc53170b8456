"""The records of all ranks as one document, on one time axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nobubble_torch._version import __version__
from nobubble_torch.recording.offsets import Offset
from nobubble_torch.recording.recorder import Step

_OPS = ("F", "B", "W", "BW")


def run_document(
    steps_of: Sequence[Sequence[Step]],
    offsets: Sequence[tuple[Offset, Offset]],
    *,
    schedule: dict[str, Any],
    microbatches: int,
    placement: Sequence[int],
    shared: bool,
) -> dict[str, Any]:
    """Give the `nobubble.run/1` of what every rank recorded; docs/run.md says what is in it.

    Parameters
    ----------
    steps_of : sequence of sequence of Step
        Of every rank, in its own clock.
    offsets : sequence of (Offset, Offset)
        Of every rank, from before the first and after the last step; in between the clock is
        taken to have drifted evenly.
    schedule : dict
        Its hashes.
    microbatches : int
    placement : sequence of int
    shared : bool
        Whether all ranks read one clock.
    """
    corrected = [
        [_shifted(step, _ahead(step, steps, pair)) for step in steps]
        for steps, pair in zip(steps_of, offsets, strict=True)
    ]
    steps = [_step(list(parts)) for parts in zip(*corrected, strict=True)]
    first = steps[0]["start"] if steps else 0
    for step in steps:
        step["start"] -= first
    worst = sorted(max(first.uncertainty, last.uncertainty) for first, last in offsets)
    return {
        "schema": "nobubble.run/1",
        "generator": {"name": "nobubble-torch", "version": __version__},
        "schedule": schedule,
        "time_unit": "ns",
        "microbatches": microbatches,
        "placement": list(placement),
        "clock": {"shared": shared, "uncertainty": sum(worst[-2:])},
        "steps": steps,
    }


def _ahead(step: Step, steps: Sequence[Step], pair: tuple[Offset, Offset]) -> int:
    """Give how far the rank's clock is ahead of rank 0's during a step."""
    first, last = pair
    passed = steps[-1].end - steps[0].start
    share = (step.start - steps[0].start) / passed if passed else 0
    return first.ahead + round(share * (last.ahead - first.ahead))


def _shifted(step: Step, ahead: int) -> Step:
    actions = [
        {key: value - ahead if key in ("start", "end") else value for key, value in action.items()}
        for action in step.actions
    ]
    return Step(step.number, step.start - ahead, step.end - ahead, actions)


def _step(parts: list[Step]) -> dict[str, Any]:
    """Join what the ranks recorded of one step; its first op starts at 0."""
    zero = min(action["start"] for part in parts for action in part.actions if action["op"] in _OPS)
    return {
        "step": parts[0].number,
        "start": zero,
        "ranks": [
            {
                "rank": rank,
                "start": part.start,
                "end": part.end,
                "actions": part.actions,
            }
            for rank, part in enumerate(_shifted(part, zero) for part in parts)
        ],
    }
