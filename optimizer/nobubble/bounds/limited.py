"""The stages of ranks with a memory limit, as arrays with a column for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nobubble.bounds.figures import Figures
from nobubble.bounds.room import Room
from nobubble.bounds.warm_up import idle_before_backward
from nobubble.problem import Problem

Times = NDArray[Any]
"""Times in ns: int64 where no sum of them can overflow, else Python integers."""

_LARGE = 2**62


@dataclass(frozen=True, slots=True)
class LimitedStages:
    """The stages of ranks with a memory limit; arrays have a column for each.

    Attributes
    ----------
    stages : list of int
    microbatches : int
    forward, backward, weight, whole, trip : Times, shape (columns,)
        See `Figures`.
    above : Times, shape (columns,)
        F + B' of all higher stages of the same rank.
    idle : Times, shape (columns,)
        Idle time of the rank before its first backward, for its lowest stage; else 0.
    most : ndarray of int64, shape (columns,)
        L: the microbatches that fit in flight, from 1 to m.
    pending : ndarray of int64, shape (m + 1, columns)
        Q(n): the microbatches that fit pending when the last F of n in flight starts.
    pending_at_backward : ndarray of int64, shape (columns,)
        The same when a backward starts, whatever else is in flight.
    either : ndarray of bool, shape (columns,)
        Whether a microbatch holds less pending than in flight, so that n + Q(n) falls with n.
    """

    stages: list[int]
    microbatches: int
    forward: Times
    backward: Times
    weight: Times
    whole: Times
    trip: Times
    above: Times
    idle: Times
    most: NDArray[np.int64]
    pending: NDArray[np.int64]
    pending_at_backward: NDArray[np.int64]
    either: NDArray[np.bool_]

    @classmethod
    def of(cls, problem: Problem, figures: Figures, room: Room) -> LimitedStages:
        """Give the limited stages of a problem."""
        m = problem.microbatches
        stages, above, idle, most = [], [], [], []
        held, pending, at_forward, at_backward = [], [], [], []
        for rank, (on_rank, capacity) in enumerate(
            zip(figures.stages_on, room.capacity, strict=True)
        ):
            if capacity is None:
                continue
            higher = sum(figures.forward[s] + figures.backward[s] for s in on_rank)
            lower = 0
            for place, s in enumerate(on_rank):
                higher -= figures.forward[s] + figures.backward[s]
                lower += room.held[s]
                stages.append(s)
                above.append(higher)
                idle.append(idle_before_backward(figures, room, rank, m, m) if place == 0 else 0)
                most.append(room.in_flight(on_rank[: place + 1], capacity, m))
                held.append(min(lower, _LARGE))
                pending.append(min(room.pending[s], _LARGE))
                at_forward.append(max(-1, capacity - room.start_forward[s]))
                at_backward.append(max(-1, capacity - lower - room.start_backward[s]))
        dtype = np.int64 if fit_int64(figures, m) else object
        number = np.minimum(np.arange(m + 1)[:, np.newaxis], np.array(most, dtype=np.int64))

        def times(values: list[int]) -> Times:
            return np.array([values[s] for s in stages], dtype=dtype)

        return cls(
            stages=stages,
            microbatches=m,
            forward=times(figures.forward),
            backward=times(figures.backward),
            weight=times(figures.weight),
            whole=times(figures.whole),
            trip=times(figures.trip),
            above=np.array(above, dtype=dtype),
            idle=np.array(idle, dtype=dtype),
            most=np.array(most, dtype=np.int64),
            pending=_fitting(
                np.array(at_forward, dtype=np.int64) - number * np.array(held, dtype=np.int64),
                np.array(pending, dtype=np.int64),
                m,
            ),
            pending_at_backward=_fitting(
                np.array(at_backward, dtype=np.int64), np.array(pending, dtype=np.int64), m
            ),
            either=np.array(held, dtype=np.int64) >= np.array(pending, dtype=np.int64),
        )


def _fitting(room: NDArray[np.int64], size: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Give how many pieces of a size fit into the room: from 0 to `most`."""
    pieces: NDArray[np.int64] = np.where(room < 0, 0, most)
    np.floor_divide(room, size, out=pieces, where=size > 0)
    return np.clip(pieces, 0, most)


def fit_int64(figures: Figures, m: int) -> bool:
    """Tell whether all work and all ways together fit into int64 by far."""
    everything = sum(figures.forward) + sum(figures.whole) + figures.head[-1] + figures.back[-1]
    return 8 * (m + 1) * everything < _LARGE
