"""A profile as the rest of the program sees it: complete, in whole nanoseconds and bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Backward = Literal["split", "fused", "auto"]
Objective = Literal["makespan", "rank_span"]


@dataclass(frozen=True, slots=True)
class Cost:
    """What one op takes.

    Attributes
    ----------
    time : int
        Nanoseconds, at least 0.
    memory : int
        Bytes that the op adds to its rank's activation memory (negative: gives back). An
        increase counts from the op's start, a decrease from its end.
    workspace : int
        Bytes needed on top only while the op runs, at least 0.
    """

    time: int
    memory: int = 0
    workspace: int = 0


@dataclass(frozen=True, slots=True)
class Stage:
    """One contiguous piece of the model.

    Attributes
    ----------
    F, B, W, BW : Cost
        Forward, input gradient, weight gradient, and the backward that is not split. The memory
        of F + B + W is 0, and so is that of F + BW.
    backward : {"split", "fused", "auto"}
        B and W always, BW always, or whichever serves better for every op.
    """

    F: Cost
    B: Cost
    W: Cost
    BW: Cost
    backward: Backward = "split"


@dataclass(frozen=True, slots=True)
class Profile:
    """A complete profile: every default filled in, every list at its full length.

    Attributes
    ----------
    name : str or None
        What the user calls it; no part of the canonical form.
    time_unit, memory_unit : str
        The units in which the user wrote it, and in which documents about it are written.
    ranks, microbatches : int
        p and m, both at least 1.
    placement : tuple of int, shape (S,)
        The rank of every stage; every rank has at least one.
    stages : tuple of Stage, shape (S,)
    communication_forward, communication_backward : tuple of int, shape (S - 1,)
        Nanoseconds from stage s to s + 1 (activations) and from s + 1 back to s (gradients), as
        given: between stages of one rank they cost nothing, whatever stands here.
    memory_limit : tuple of (int or None), shape (p,)
        Bytes; None is no limit.
    static_memory : tuple of int, shape (p,)
        Bytes held throughout.
    objective : {"makespan", "rank_span"}
    partition : tuple of int, shape (S,), or None
        How many layers of the model each stage has, where that is known; no part of the canonical
        form.
    """

    name: str | None
    time_unit: str
    memory_unit: str
    ranks: int
    microbatches: int
    placement: tuple[int, ...]
    stages: tuple[Stage, ...]
    communication_forward: tuple[int, ...]
    communication_backward: tuple[int, ...]
    memory_limit: tuple[int | None, ...]
    static_memory: tuple[int, ...]
    objective: Objective = "makespan"
    partition: tuple[int, ...] | None = None
