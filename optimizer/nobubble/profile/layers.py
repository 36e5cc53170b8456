"""The written layers of a profile, and whether its partition is one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nobubble.errors import Fault
from nobubble.profile.layered import Layer
from nobubble.profile.limits import MAX_STAGES
from nobubble.profile.model import Stage
from nobubble.profile.rounding import Rounding
from nobubble.profile.wording import counted
from nobubble.units import MEMORY_UNITS

if TYPE_CHECKING:
    from nobubble.profile.written import WrittenProfile


def layer_count(written: WrittenProfile) -> int:
    """Give the number of layers, equal ones counted as often as they stand; 0 without layers."""
    return sum(layer.count for layer in written.layers)


def layers_as_written(
    written: WrittenProfile, costs: Sequence[Stage], rounding: Rounding
) -> tuple[Layer, ...]:
    """Give every layer, shape (L,).

    Parameters
    ----------
    written : WrittenProfile
    costs : sequence of Stage
        Of every written layer, in whole nanoseconds and bytes.
    rounding : Rounding
    """
    factor = MEMORY_UNITS[written.memory_unit]
    layers: list[Layer] = []
    for index, (layer, cost) in enumerate(zip(written.layers, costs, strict=True)):
        pointer = f"/layers/{index}/static_memory"
        made = Layer(
            name=layer.name,
            costs=cost,
            says_backward="backward" in layer.model_fields_set,
            static_memory=rounding.whole("memory", layer.static_memory, factor, pointer, "up"),
        )
        layers += [made] * layer.count
    return tuple(layers)


def partition_faults(written: WrittenProfile, stages: int) -> list[Fault]:
    """Check that the partition has all layers and all stages, and that there are enough layers."""
    partition, layers = written.partition, layer_count(written)
    if written.layers and "stages" in written.model_fields_set:
        return [Fault("/layers", "stands beside stages; give one of them")]
    if layers > MAX_STAGES:
        return [Fault("/layers", f"are {layers} in all; at most {MAX_STAGES} are possible")]
    if partition and len(partition) != stages:
        return [
            Fault(
                "/partition",
                f"{counted(len(partition), 'number')} for {counted(stages, 'stage')}; a partition "
                "has the number of layers of every stage",
            )
        ]
    if partition and layers and sum(partition) != layers:
        return [
            Fault(
                "/partition",
                f"{counted(sum(partition), 'layer')} in all, but {layers} are given; none may be "
                "lost or made up",
            )
        ]
    if layers and layers < stages:
        return [
            Fault(
                "/layers",
                f"{counted(layers, 'layer')} for {counted(stages, 'stage')}; every stage has at "
                "least one",
            )
        ]
    return []
