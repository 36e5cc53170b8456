"""Where the sends and receives go among the ops of every rank."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nobubble.order import Order
from nobubble.problem import F, Problem, W
from nobubble.timing import Timing


@dataclass(frozen=True, slots=True)
class Events:
    """Everything that happens in an iteration, as one sequence.

    Attributes
    ----------
    place : ndarray of int64, shape (e,)
        The place, in the order, of the op that runs or whose output is transferred.
    is_transfer : ndarray of bool, shape (e,)
    """

    place: NDArray[np.int64]
    is_transfer: NDArray[np.bool_]


def crosses(problem: Problem, order: Order) -> NDArray[np.bool_]:
    """Say of every op whether its output goes to another rank, shape (n,)."""
    stage, kind = np.divmod(order.letters, 4)
    target = np.where(kind == F, stage + 1, stage - 1)
    exists = (kind != W) & (target >= 0) & (target < problem.stages)
    target = np.where(exists, target, stage)
    crossing: NDArray[np.bool_] = problem.rank_of[target] != problem.rank_of[stage]
    return crossing


def events(problem: Problem, order: Order, timing: Timing) -> Events:
    """Give ops and transfers in one order that every rank keeps to.

    An op stands at its start and the transfer of its output at its end, before whatever starts
    then. When both ranks of a transfer list it at its place in this one sequence, every pair of
    ranks sees its transfers in the same order, and even sends that wait for their receiver cannot
    wait in a circle: the first action of the sequence that has not run can always run.

    Ops of zero time tie with their successors; the sequence in which they were timed decides.
    """
    n = len(order.letters)
    sending = np.flatnonzero(crosses(problem, order))
    turn = np.empty(n, dtype=np.int64)
    turn[timing.sequence] = np.arange(n)
    place = np.concatenate([np.arange(n), sending])
    is_transfer = np.concatenate([np.zeros(n, np.bool_), np.ones(len(sending), np.bool_)])
    time = np.concatenate([timing.start, timing.end[sending]])
    tie = np.concatenate([2 * turn, 2 * turn[sending] + 1])
    by_time = np.lexsort((tie, time))
    return Events(place[by_time], is_transfer[by_time])
