"""From a `WrittenProfile` to a complete `Profile`: whether the parts fit, and every default."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeVar, cast

from nobubble.errors import Fault
from nobubble.partition.splits import min_max_split
from nobubble.profile.costs import StageCosts, size_faults
from nobubble.profile.fitting import boundary_faults, count_faults, total_faults, unit_faults
from nobubble.profile.layered import LayeredModel, layers_of
from nobubble.profile.layers import layers_as_written, partition_faults
from nobubble.profile.model import Objective, Profile, Stage
from nobubble.profile.placement import place
from nobubble.profile.rounding import Rounding
from nobubble.profile.wording import counted
from nobubble.profile.written_parts import by_direction, communication, given_pieces
from nobubble.units import MEMORY_UNITS, TIME_UNITS

if TYPE_CHECKING:
    from nobubble.profile.written import WrittenProfile

Item = TypeVar("Item")


def complete(written: WrittenProfile, rounding: Rounding) -> Profile | list[Fault]:
    """Check that the parts of a profile fit each other, and fill in what is not given.

    Returns
    -------
    Profile or list of Fault
        The faults are never empty.
    """
    costs = _costs(written, rounding)
    placement, faults = place(written)
    faults += unit_faults(written)
    for pointer, piece in given_pieces(written):
        faults += costs.faults(piece, pointer)
    for key, value in (
        ("memory_limit", written.memory_limit),
        ("static_memory", written.static_memory),
    ):
        if isinstance(value, list) and len(value) != written.ranks:
            have = f"{counted(len(value), 'number')} for {counted(written.ranks, 'rank')}"
            faults.append(Fault(f"/{key}", f"{have}; {key} has one number for every rank"))
    if placement is not None:
        faults += boundary_faults(written, len(placement))
        faults += count_faults(written, len(placement))
        faults += partition_faults(written, len(placement))
    if faults or placement is None:
        return faults
    made_of = tuple(costs.convert(piece, pointer) for pointer, piece in given_pieces(written))
    if written.layers:
        model = _layered(written, made_of, rounding)
        split = model.partition or min_max_split(
            [layer.time() for layer in model.layers], placement
        )
        profile = model.profile(placement, split)
    else:
        profile = _profile(written, placement, made_of, rounding)
    for (pointer, _), made in zip(given_pieces(written), made_of, strict=True):
        faults += size_faults(made, pointer)
    return faults or total_faults(profile) or profile


def _costs(written: WrittenProfile, rounding: Rounding) -> StageCosts:
    """Give what converts the stages or layers of a profile."""
    return StageCosts(
        TIME_UNITS[written.time_unit],
        MEMORY_UNITS[written.memory_unit],
        written.memory_unit,
        rounding,
    )


def complete_model(written: WrittenProfile, rounding: Rounding) -> LayeredModel | list[Fault]:
    """Do the same, but leave open which layers make a stage, where that is not given.

    Returns
    -------
    LayeredModel or list of Fault
        Of a profile with stages, every stage is a layer. The faults are never empty.
    """
    profile = complete(written, rounding)
    if isinstance(profile, list):
        return profile
    if not written.layers:
        return layers_of(profile)
    rounding = Rounding()  # All of it has been told once.
    costs = _costs(written, rounding)
    made_of = tuple(costs.convert(piece, pointer) for pointer, piece in given_pieces(written))
    model = _layered(written, made_of, rounding)
    is_placed = "placement" in written.model_fields_set or model.partition is not None
    return replace(model, placement=profile.placement if is_placed else None)


def _profile(
    written: WrittenProfile,
    placement: tuple[int, ...],
    stages: tuple[Stage, ...],
    rounding: Rounding,
) -> Profile:
    """Put the profile together, when nothing is at fault."""
    activations, gradients = _latencies(written, len(placement) - 1, rounding)
    limits, static = _rank_memory(written, rounding)
    return Profile(
        name=written.name,
        time_unit=written.time_unit,
        memory_unit=written.memory_unit,
        ranks=written.ranks,
        microbatches=written.microbatches,
        placement=placement,
        stages=_for_all(stages, len(placement)),
        communication_forward=activations,
        communication_backward=gradients,
        memory_limit=limits,
        static_memory=static,
        objective=cast(Objective, written.objective),
        partition=tuple(written.partition) or None,
    )


def _layered(written: WrittenProfile, costs: tuple[Stage, ...], rounding: Rounding) -> LayeredModel:
    """Put a model of layers together, when nothing is at fault."""
    layers = layers_as_written(written, costs, rounding)
    activations, gradients = _latencies(written, len(layers) - 1, rounding)
    limits, static = _rank_memory(written, rounding)
    return LayeredModel(
        name=written.name,
        time_unit=written.time_unit,
        memory_unit=written.memory_unit,
        ranks=written.ranks,
        microbatches=written.microbatches,
        layers=layers,
        communication_forward=activations,
        communication_backward=gradients,
        memory_limit=limits,
        static_memory=static,
        objective=cast(Objective, written.objective),
        partition=tuple(written.partition) or None,
    )


def _latencies(
    written: WrittenProfile, boundaries: int, rounding: Rounding
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Give the communication times of every boundary in ns, forward and backward."""
    time_factor = TIME_UNITS[written.time_unit]

    def times(way: Literal["F", "B"]) -> tuple[int, ...]:
        pointer, value = communication(written, way)
        return tuple(
            rounding.whole("time", item, time_factor, place)
            for place, item in _each(value, pointer)
        )

    activations = times("F")
    # One value for both directions is one written figure, and rounded once.
    gradients = times("B") if by_direction(written) else activations
    return _for_all(activations, boundaries), _for_all(gradients, boundaries)


def _rank_memory(
    written: WrittenProfile, rounding: Rounding
) -> tuple[tuple[int | None, ...], tuple[int, ...]]:
    """Give the limit and the static memory of every rank, in bytes."""
    factor = MEMORY_UNITS[written.memory_unit]
    limits = tuple(
        None if item is None else rounding.whole("memory", item, factor, pointer, "down")
        for pointer, item in _each(written.memory_limit, "/memory_limit")
    )
    static = tuple(
        rounding.whole("memory", item, factor, pointer, "up")
        for pointer, item in _each(written.static_memory, "/static_memory")
    )
    return _for_all(limits, written.ranks), _for_all(static, written.ranks)


def _each(value: Item | list[Item], pointer: str) -> Iterator[tuple[str, Item]]:
    """Give every figure of a value that is one or a list, with where it stands."""
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield f"{pointer}/{index}", item
    else:
        yield pointer, value


def _for_all(values: tuple[Item, ...], length: int) -> tuple[Item, ...]:
    """Give one value `length` times; several are as many as they must be already."""
    return values * length if len(values) == 1 else values
