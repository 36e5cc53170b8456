"""What is solved for a comparison: every family, by name and as solved, split and fused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from nobubble.comparison.families import Exclusion, Family, families
from nobubble.errors import MethodError
from nobubble.methods import NAMED_SCHEDULES
from nobubble.named import NAMED_ORDERS
from nobubble.partition.choosing import choose_partition
from nobubble.partition.splits import even_split, min_max_split
from nobubble.problem import B, Problem
from nobubble.profile.layered import LayeredModel
from nobubble.profile.model import Backward, Profile

Splitting: TypeAlias = Literal["chosen", "min-max", "even"]
"""How layers are cut into stages: judged by schedules, by the busiest rank, or evenly."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A profile and a method.

    Attributes
    ----------
    family : str
    method : str
        One of `nobubble.methods.METHODS`.
    backward : {"split", "fused", "auto"} or None
        How every stage runs backward; None is as the profile, or the schedule by name, has it.
    profile : Profile
        With its partition.
    """

    family: str
    method: str
    backward: Backward | None
    profile: Profile


@dataclass(frozen=True, slots=True)
class Candidates:
    """All that is solved, and what is left out from the start."""

    candidates: tuple[Candidate, ...]
    left_out: tuple[Exclusion, ...]


def candidates(
    model: LayeredModel,
    *,
    method: str = "auto",
    splitting: Splitting = "chosen",
    tell: Callable[[str], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Candidates:
    """Give what is to be solved.

    A partition that the profile gives is kept for the placement that it gives.

    Parameters
    ----------
    model : LayeredModel
    method : str
        For the schedules that are solved.
    splitting : {"chosen", "min-max", "even"}
        How the layers of the other families are cut.
    tell, stop : callable, optional
        See `nobubble.partition.choosing.choose_partition`.
    """
    found, left_out = families(model)
    every = [
        family_candidates(model, family, method=method, splitting=splitting, tell=tell, stop=stop)
        for family in found
    ]
    return together(every, left_out)


def together(every: Sequence[Candidates], left_out: Sequence[Exclusion]) -> Candidates:
    """Join the candidates of all families, and what is left out besides."""
    return Candidates(
        tuple(candidate for found in every for candidate in found.candidates),
        (*left_out, *(one for found in every for one in found.left_out)),
    )


def family_candidates(
    model: LayeredModel,
    family: Family,
    *,
    method: str = "auto",
    splitting: Splitting = "chosen",
    tell: Callable[[str], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Candidates:
    """Give what is to be solved of one family; parameters are those of `candidates`."""

    def told(text: str) -> None:
        if tell is not None:
            tell(f"{family.name}: {text}")

    profile = model.profile(family.placement, _partition(model, family, splitting, told, stop))
    return _of_family(family.name, profile, method)


def _partition(
    model: LayeredModel,
    family: Family,
    splitting: Splitting,
    tell: Callable[[str], None],
    stop: Callable[[], bool] | None,
) -> tuple[int, ...]:
    """Give the layers of every stage of a family."""
    placement = family.placement
    if model.partition is not None and model.placement == placement:
        return model.partition
    if splitting == "even":
        kinds = [(layer.costs, layer.static_memory) for layer in model.layers]
        return even_split(kinds, len(placement))
    if splitting == "min-max" or len(placement) == len(model.layers):
        return min_max_split(model.times(), placement)
    return choose_partition(model, placement, tell=tell, stop=stop).partition


def _of_family(family: str, profile: Profile, method: str) -> Candidates:
    """Give the schedules by name that the placement has, and what is solved."""
    problem = Problem.of(profile)
    made: list[Candidate] = []
    left_out = []
    for name in NAMED_SCHEDULES:
        try:
            order = NAMED_ORDERS[name](problem)
        except MethodError:
            continue
        stage, kind = np.divmod(order.letters, 4)
        split = stage[(kind == B) & ~problem.may_split[stage]]
        if split.size:
            reason = f"splits the backward of stage {split.min()}, which is never split"
            left_out.append(Exclusion(family, name, reason))
        else:
            made.append(Candidate(family, name, None, profile))
    if not (problem.may_split & problem.may_fuse).any():
        made.append(Candidate(family, method, None, profile))
    else:
        ways: tuple[Backward, ...] = ("split", "fused", "auto")
        made += [Candidate(family, method, way, _running(profile, way)) for way in ways]
    return Candidates(tuple(made), tuple(left_out))


def _running(profile: Profile, way: Backward) -> Profile:
    """Give a profile whose stages run backward that way, where they may choose."""
    stages = tuple(
        replace(stage, backward=way) if stage.backward == "auto" else stage
        for stage in profile.stages
    )
    return replace(profile, stages=stages)
