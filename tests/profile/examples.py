"""Small profiles to start from, as plain values and as Hypothesis strategies."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from nobubble.profile.model import Backward, Cost, Objective, Profile, Stage
from nobubble.units import MEMORY_UNITS, TIME_UNITS

ONE_STAGE: dict[str, Any] = {"F": {"time": 10}, "B": {"time": 11}, "W": {"time": 8}}


def written(**keys: Any) -> dict[str, Any]:
    """Give a valid profile of 4 ranks and 8 microbatches, with some keys replaced or added."""
    return {
        "schema": "nobubble.profile/1",
        "time_unit": "ms",
        "ranks": 4,
        "microbatches": 8,
        "stages": ONE_STAGE,
        **keys,
    }


def with_memory(forward: Any, backward: Any, weight: Any, **fused: Any) -> dict[str, Any]:
    """Give one stage for all with these memory figures; `fused` is what stands under BW."""
    stage = {
        "F": {"time": 10, "memory": forward},
        "B": {"time": 11, "memory": backward},
        "W": {"time": 8, "memory": weight},
    }
    return {**stage, "BW": fused} if fused else stage


_TIMES = st.integers(0, 10**9)
_BYTES = st.integers(0, 2**44)


@st.composite
def stages(draw: st.DrawFn) -> Stage:
    """Any stage whose memory adds up."""
    held = draw(_BYTES)
    more = draw(st.integers(-held, 2**44))
    backward: Backward = draw(st.sampled_from(["split", "fused", "auto"]))
    return Stage(
        F=Cost(draw(_TIMES), held, draw(_BYTES)),
        B=Cost(draw(_TIMES), more, draw(_BYTES)),
        W=Cost(draw(_TIMES), -held - more, draw(_BYTES)),
        BW=Cost(draw(_TIMES), -held, draw(_BYTES)),
        backward=backward,
    )


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    """Any complete profile of a few ranks, in any units."""
    ranks = draw(st.integers(1, 4))
    rest = draw(st.lists(st.integers(0, ranks - 1), max_size=4))
    placement = draw(st.permutations([*range(ranks), *rest]))
    number = len(placement)
    objective: Objective = draw(st.sampled_from(["makespan", "rank_span"]))
    name = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=8)
    return Profile(
        name=draw(st.none() | name),
        time_unit=draw(st.sampled_from(list(TIME_UNITS))),
        memory_unit=draw(st.sampled_from(list(MEMORY_UNITS))),
        ranks=ranks,
        microbatches=draw(st.integers(1, 1000)),
        placement=tuple(placement),
        stages=tuple(draw(stages()) for _ in range(number)),
        communication_forward=tuple(draw(_TIMES) for _ in range(number - 1)),
        communication_backward=tuple(draw(_TIMES) for _ in range(number - 1)),
        memory_limit=tuple(draw(st.none() | _BYTES) for _ in range(ranks)),
        static_memory=tuple(draw(_BYTES) for _ in range(ranks)),
        objective=objective,
    )
