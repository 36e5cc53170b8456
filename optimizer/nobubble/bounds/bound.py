"""A lower bound with the name of its argument."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bound:
    """A lower bound on the cost of every schedule of a problem.

    Attributes
    ----------
    name : str
        Of the argument that proves it.
    value : int
        In ns.
    """

    name: str
    value: int
