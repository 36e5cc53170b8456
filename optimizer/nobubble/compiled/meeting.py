"""The least time of one stage whose microbatches meet on their ways: a dynamic programme."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nobubble.compiled.compiling import kernel, part

_NEVER = 2**62
_CLOCK, _LAST = 0, 1
"""Places in a state: the rank's clock, then the starts of the last F's in flight, the latest first,
then for every microbatch in flight the earliest start of its backward."""


@part
def _keep(
    states: NDArray[np.int64],
    counts: NDArray[np.int64],
    place: int,
    kept: int,
    state: NDArray[np.int64],
) -> None:
    """Keep a state unless another is nowhere later; drop those that are nowhere earlier.

    Where there are too many, the state and the one nearest to it are replaced by the earlier of
    both in every part: what follows from that is nowhere later than what follows from either.
    `state` is overwritten.
    """
    count = counts[place]
    while True:
        nearest, distance = -1, _NEVER
        other = 0
        while other < count:
            later = earlier = 0
            for part_of in range(len(state)):
                difference = state[part_of] - states[other, part_of]
                later += max(difference, 0)
                earlier += max(-difference, 0)
            if earlier == 0:
                counts[place] = count
                return
            if later == 0:
                count -= 1
                states[other] = states[count]
                continue
            if later + earlier < distance:
                nearest, distance = other, later + earlier
            other += 1
        if count < kept:
            states[count] = state
            counts[place] = count + 1
            return
        state[:] = np.minimum(state, states[nearest])
        count -= 1
        states[nearest] = states[count]


@kernel(
    "void(int64, int64[::1], int64, boolean[:, ::1], boolean[:, ::1], int64[::1], int64[::1],"
    " int64, int64, int64[::1])"
)
def least_times(
    microbatches: int,
    times: NDArray[np.int64],
    trip: int,
    may_forward: NDArray[np.bool_],
    may_backward: NDArray[np.bool_],
    above: NDArray[np.int64],
    below: NDArray[np.int64],
    kept: int,
    farthest: int,
    least: NDArray[np.int64],
) -> None:
    """Try every order of a stage's ops, with every place where two microbatches meet.

    Parameters
    ----------
    microbatches : int
    times : ndarray of int64, shape (3,)
        F, B' and W', in ns.
    trip : int
        From the start of F to the end of its backward, in ns.
    may_forward, may_backward : ndarray of bool, shape (L + 1, Q + 1)
        Whether memory lets an F, or a backward, start with so many in flight and pending. L and Q
        are the most that there can be.
    above : ndarray of int64, shape (D + 1,)
        The trip from d stages above; 0 for d = D, which is beyond the last stage.
    below : ndarray of int64, shape (D + 1,)
        The trip from the stage to d - 1 stages above and back; of d = 0 nothing is read.
    kept : int
        States kept for the same counts.
    farthest : int
        How many microbatches ahead of one are looked at for where it meets them.
    least : ndarray of int64, shape (2,), output
        The end of the last backward and the end of all, from the start of the first F, in ns.
    """
    most, most_pending = may_forward.shape[0] - 1, may_forward.shape[1] - 1
    forward, backward, weight = times[0], times[1], times[2]
    way = trip - backward
    readiness = _LAST + farthest
    size = readiness + most
    states = np.zeros((2, most + 1, most_pending + 1, kept, size), np.int64)
    counts = np.zeros((2, most + 1, most_pending + 1), np.int64)
    state = np.zeros(size, np.int64)
    lowest = np.zeros(farthest, np.int64)
    highest, places = np.zeros(farthest, np.int64), np.zeros(farthest, np.int64)
    counts[0, 0, 0] = 1
    least[:] = _NEVER
    for started in range(microbatches + 1):
        now, then = started % 2, (started + 1) % 2
        counts[then] = 0
        for flying in range(min(most, started), -1, -1):
            for pending in range(min(most_pending, started - flying), -1, -1):
                for number in range(counts[now, flying, pending]):
                    here = states[now, flying, pending, number]
                    clock = here[_CLOCK]
                    if started == microbatches and flying == 0:
                        least[0] = min(least[0], clock)
                        if pending == 0:
                            least[1] = min(least[1], clock)
                    if started < microbatches and flying < most and may_forward[flying, pending]:
                        there, count = states[then, flying + 1], counts[then, flying + 1]
                        ahead = min(flying, farthest)
                        for other in range(ahead):
                            ready = here[readiness + flying - 1 - other]
                            at = len(above) - 1
                            while at > 1 and above[at - 1] <= clock - here[_LAST + other]:
                                at -= 1
                            highest[other] = places[other] = at
                            while at > 1 and clock + below[at] - backward > ready:
                                at -= 1
                            lowest[other] = at
                        while True:
                            state[:] = here
                            state[_CLOCK] = clock + forward
                            ready = clock + way
                            for other in range(ahead):
                                at, before = places[other], readiness + flying - 1 - other
                                if at < len(above) - 1:
                                    ready = max(ready, here[_LAST + other] + way + above[at])
                                state[before] = max(here[before], clock + below[at] - backward)
                            state[readiness + flying] = ready
                            state[_LAST] = clock
                            state[_LAST + 1 : readiness] = here[_LAST : readiness - 1]
                            _keep(there[pending], count, pending, kept, state)
                            other = 0
                            while other < ahead and places[other] == lowest[other]:
                                places[other] = highest[other]
                                other += 1
                            if other == ahead:
                                break
                            places[other] -= 1
                    if flying > 0 and pending < most_pending and may_backward[flying, pending]:
                        state[:] = 0
                        state[_CLOCK] = max(clock, here[readiness]) + backward
                        ahead = min(flying - 1, farthest)
                        state[_LAST : _LAST + ahead] = here[_LAST : _LAST + ahead]
                        state[readiness : readiness + flying - 1] = here[
                            readiness + 1 : readiness + flying
                        ]
                        _keep(
                            states[now, flying - 1, pending + 1],
                            counts[now, flying - 1],
                            pending + 1,
                            kept,
                            state,
                        )
                    if pending > 0:
                        state[:] = here
                        state[_CLOCK] = clock + weight
                        _keep(
                            states[now, flying, pending - 1],
                            counts[now, flying],
                            pending - 1,
                            kept,
                            state,
                        )
