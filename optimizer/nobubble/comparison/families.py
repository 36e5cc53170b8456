"""The placements that are compared: one stage a rank, or several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from nobubble.profile.layered import LayeredModel

MOST_CHUNKS: Final = 4
"""Stages a rank, of the interleaved placements that are compared."""


@dataclass(frozen=True, slots=True)
class Family:
    """A placement.

    Attributes
    ----------
    name : str
        ``linear``, ``interleaved-2`` and so on (stages a rank), ``v``, or ``as given``.
    placement : tuple of int, shape (S,)
        The rank of every stage.
    """

    name: str
    placement: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Exclusion:
    """What is left out of a comparison, and why.

    Attributes
    ----------
    family : str
    method : str or None
        None where the whole family is left out.
    reason : str
    """

    family: str
    method: str | None
    reason: str


def families(model: LayeredModel) -> tuple[list[Family], list[Exclusion]]:
    """Give the families that a model has layers enough for, and those that it has not.

    A placement that the profile gives as a list, and that is none of them, comes last.
    """
    ranks, layers = model.ranks, len(model.layers)
    down = tuple(range(ranks))
    wanted = [Family("linear", down)]
    wanted += [Family(f"interleaved-{v}", down * v) for v in range(2, MOST_CHUNKS + 1)]
    wanted.append(Family("v", down + down[::-1]))
    if ranks == 1:
        wanted = wanted[:1]
    if model.placement is not None and model.placement not in [f.placement for f in wanted]:
        wanted.append(Family("as given", model.placement))
    found, left_out = [], []
    for family in wanted:
        if len(family.placement) <= layers:
            found.append(family)
        else:
            reason = f"{len(family.placement)} stages, but only {layers} layers"
            left_out.append(Exclusion(family.name, None, reason))
    return found, left_out
