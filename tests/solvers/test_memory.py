"""The smallest memory limits under which a schedule exists."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from nobubble.problem import Problem
from nobubble.profile.model import Cost, Profile, Stage
from nobubble.solve import solve
from nobubble.solvers.memory import smallest_capacities
from nobubble.solvers.one_at_a_time import one_at_a_time
from nobubble.timing import time_of
from tests.bounds.exhaustive import NEVER, cheapest
from tests.bounds.instances import random_problem
from tests.published import uniform


def test_no_schedule_exists_a_byte_below() -> None:
    """Tests tiny problems of every kind, several stages on a rank included."""
    rng = random.Random(8)
    for _ in range(60):
        problem = random_problem(rng, "makespan", most_ops=18)
        smallest = smallest_capacities(problem)
        assert cheapest(replace(problem, capacity=smallest)).cost < NEVER
        for rank in np.flatnonzero(smallest > 0):
            short = smallest.copy()
            short[rank] -= 1
            nothing = cheapest(replace(problem, capacity=short))
            assert nothing.cost == NEVER
            assert nothing.complete
            assert one_at_a_time(replace(problem, capacity=short)) is None


def test_a_w_with_a_large_workspace_waits_until_there_is_room() -> None:
    """Tests two stages on a rank, where W of the upper one fits only after the lower one's."""
    lower = Stage(Cost(1, 10), Cost(1), Cost(1, -10), Cost(2, -10))
    upper = replace(lower, W=Cost(1, -10, 100))
    profile = replace(uniform(1, 3, (1, 1, 1), chunks=2), stages=(lower, upper))
    tight = replace(profile, memory_limit=(110,))
    document = solve(tight, effort="fast")
    assert document["metrics"]["ranks"][0]["peak_memory"] == 110
    with pytest.raises(Exception, match="takes 110 B there, but the limit is 109 B"):
        solve(replace(profile, memory_limit=(109,)))


@pytest.mark.parametrize("microbatches", [1, 4])
def test_one_at_a_time_holds_one_microbatch(microbatches: int) -> None:
    """Tests that it needs no more for many microbatches than for one."""
    problem = Problem.of(_profile(microbatches))
    order = one_at_a_time(problem)
    assert order is not None
    assert (time_of(problem, order).peak_memory == smallest_capacities(problem)).all()


def _profile(microbatches: int) -> Profile:
    return uniform(3, microbatches, (2, 3, 4), 1, chunks=2)
