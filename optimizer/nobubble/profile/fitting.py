"""Whether the parts of a written profile fit each other, and its sums stay exact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from nobubble.errors import Fault
from nobubble.profile.layers import layer_count
from nobubble.profile.limits import MAX_STAGE_MICROBATCHES, MAX_TOTAL_MEMORY, MAX_TOTAL_TIME
from nobubble.profile.model import Profile
from nobubble.profile.wording import counted
from nobubble.profile.written_parts import communication, given_pieces
from nobubble.units import MEMORY_UNITS

if TYPE_CHECKING:
    from nobubble.profile.written import WrittenProfile


def unit_faults(written: WrittenProfile) -> list[Fault]:
    """Check that there is a memory unit where there are memory figures."""
    if "memory_unit" in written.model_fields_set:
        return []
    first = next(_memory_figures(written), None)
    if first is None:
        return []
    units = ", ".join(MEMORY_UNITS)
    return [Fault("/memory_unit", f"is missing, but {first} is given; give one of {units}")]


def _memory_figures(written: WrittenProfile) -> Iterator[str]:
    """Find where memory figures are given."""
    for pointer, stage in given_pieces(written):
        for name, op in (("F", stage.F), ("B", stage.B), ("W", stage.W), ("BW", stage.BW)):
            for key in ("memory", "workspace"):
                if key in op.model_fields_set:
                    yield f"{pointer}/{name}/{key}"
    limits = written.memory_limit
    if any(limit is not None for limit in (limits if isinstance(limits, list) else [limits])):
        yield "/memory_limit"
    if "static_memory" in written.model_fields_set:
        yield "/static_memory"
    for index, layer in enumerate(written.layers):
        if "static_memory" in layer.model_fields_set:
            yield f"/layers/{index}/static_memory"


def boundary_faults(written: WrittenProfile, stages: int) -> list[Fault]:
    """Check that lists of communication times have one for each boundary."""
    piece = "layer" if written.layers else "stage"
    pieces = layer_count(written) or stages
    found = {
        pointer: len(value)
        for pointer, value in (communication(written, "F"), communication(written, "B"))
        if isinstance(value, list) and len(value) != pieces - 1
    }
    boundaries = counted(pieces - 1, "boundary", "boundaries")
    return [
        Fault(
            pointer,
            f"{counted(length, 'number')} for {counted(pieces, piece)}; communication has one "
            f"for each of the {boundaries} between {piece}s",
        )
        for pointer, length in found.items()
    ]


def count_faults(written: WrittenProfile, stages: int) -> list[Fault]:
    """Check the number of stages times microbatches."""
    number = stages * written.microbatches
    if number <= MAX_STAGE_MICROBATCHES:
        return []
    what = f"{counted(written.microbatches, 'microbatch', 'microbatches')} of {stages} stages"
    return [
        Fault(
            "/microbatches",
            f"{what} are {number} passes; at most {MAX_STAGE_MICROBATCHES} are possible",
        )
    ]


def total_faults(profile: Profile) -> list[Fault]:
    """Check that no sum over the profile leaves the range where it is exact."""
    work = sum(
        stage.F.time + max(stage.B.time + stage.W.time, stage.BW.time) for stage in profile.stages
    )
    slowest = max(profile.communication_forward + profile.communication_backward, default=0)
    total = profile.microbatches * (work + 2 * len(profile.stages) * slowest)
    faults = []
    if total > MAX_TOTAL_TIME:
        faults.append(
            Fault(
                "",
                f"too long: the ops and the communication of {profile.microbatches} microbatches, "
                f"one after the other, take {total // 10**9} s; at most "
                f"{MAX_TOTAL_TIME // 10**9} s are possible; is the time unit right?",
            )
        )
    held = list(profile.static_memory)
    for rank, stage in zip(profile.placement, profile.stages, strict=True):
        most = stage.F.memory + max(0, stage.B.memory)
        spare = max(op.workspace for op in (stage.F, stage.B, stage.W, stage.BW))
        held[rank] += profile.microbatches * most + spare
    worst = max(held)
    if worst > MAX_TOTAL_MEMORY:
        faults.append(
            Fault(
                "",
                f"too much memory: {profile.microbatches} microbatches on rank "
                f"{held.index(worst)} would hold {worst // 2**50} PiB if nothing were given "
                f"back; at most {MAX_TOTAL_MEMORY // 2**50} PiB are possible; is the memory unit "
                "right?",
            )
        )
    return faults
