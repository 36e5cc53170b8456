"""The greedy solvers: never above what is published, at home in any memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nobubble.errors import InfeasibleError, MethodError
from nobubble.problem import Problem
from nobubble.profile.model import Objective, Profile
from nobubble.solve import solve
from nobubble.solvers.greedy import greedy
from nobubble.solvers.memory import smallest_capacities
from nobubble.solvers.watch import Watch
from nobubble.solvers.zb_auto import zb_auto
from tests.published import (
    HALF,
    bubble,
    case_profile,
    row_name,
    row_profile,
    search_cases,
    table_rows,
    uniform,
)
from tests.strategies import OBJECTIVES, profiles


def best_of(profile: Profile, *methods: str) -> int:
    """Give the lowest cost of some methods, in ns."""
    return min(int(solve(profile, method=method, effort="fast")["cost"]) for method in methods)


@pytest.mark.parametrize("row", table_rows(), ids=row_name)
@pytest.mark.parametrize(("cell", "times"), [("zb-1p", 1), ("zb-2p", 2)])
def test_zb_auto_gives_the_published_bubbles(cell: str, times: int, row: dict[str, Any]) -> None:
    """Tests that the paper's heuristic comes out to the four decimals of its table."""
    profile = row_profile(row, times, objective="rank_span")
    cost = best_of(profile, "zb-auto")
    assert round(bubble(profile, cost), 4) == row["bubble"][cell]


@pytest.mark.parametrize("row", table_rows(), ids=row_name)
@pytest.mark.parametrize(("cell", "times"), [("zb-1p", 1), ("zb-2p", 2)])
def test_auto_is_never_above_the_published_bubbles(
    cell: str, times: int, row: dict[str, Any]
) -> None:
    """Tests the default method on the 24 cells of the paper's search."""
    profile = row_profile(row, times, objective="rank_span")
    assert bubble(profile, best_of(profile, "auto")) <= row["bubble"][cell] + 0.00005


@pytest.mark.parametrize("case", search_cases(), ids=lambda case: str(case["id"]))
@pytest.mark.parametrize(("objective", "figure"), [("makespan", "makespan"), ("rank_span", "span")])
def test_auto_is_never_above_the_published_heuristic(
    objective: Objective, figure: str, case: dict[str, Any]
) -> None:
    """Tests the 40 search cases: uneven stages, few microbatches, tight memory."""
    cost = best_of(case_profile(case, objective), "auto")
    assert cost <= case[f"published_heuristic_{figure}"]


@given(profiles(with_limits=True))
def test_greedy_keeps_within_any_limit_that_a_microbatch_fits_into(profile: Profile) -> None:
    """Tests that memory never blocks the list scheduler for ever, on any placement."""
    problem = Problem.of(profile)
    if (smallest_capacities(problem) <= problem.capacity).all():
        solutions = greedy(profile, problem, Watch())
        assert solutions
        for solution in solutions:
            assert (solution.timing.peak_memory - problem.static_memory <= problem.capacity).all()
    else:
        with pytest.raises(InfeasibleError):
            greedy(profile, problem, Watch())


@given(profiles(backwards=("split",), of_placement=st.just((0, 1, 2)), with_limits=True))
def test_zb_auto_keeps_within_any_limit_too(profile: Profile) -> None:
    """Tests that the paper's heuristic gives a schedule wherever one microbatch fits."""
    problem = Problem.of(profile)
    if (smallest_capacities(problem) <= problem.capacity).all():
        solution = zb_auto(profile, problem, Watch())
        assert solution is not None
        assert (solution.timing.peak_memory - problem.static_memory <= problem.capacity).all()
    else:
        with pytest.raises(InfeasibleError):
            zb_auto(profile, problem, Watch())


def test_zb_auto_refuses_a_fused_stage() -> None:
    """Tests that the stage that may not split is named."""
    profile = uniform(2, 2, (1, 1, 1))
    stage = profile.stages[0]
    fused = replace(profile, stages=(stage, replace(stage, backward="fused")))
    with pytest.raises(MethodError) as caught:
        solve(fused, method="zb-auto")
    assert str(caught.value) == (
        'zb-auto splits every backward, but stage 1 has "backward": "fused". '
        "Take --method auto, or let the stage split."
    )


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_less_than_the_memory_of_1f1b_costs_less_than_one_at_a_time(objective: Objective) -> None:
    """Tests that half of 1F1B's memory still overlaps microbatches."""
    full = row_profile(table_rows()[3], 1, objective=objective)
    in_microbatches = [
        best_of(replace(full, memory_limit=(2 * HALF * n,) * full.ranks), "greedy") for n in (4, 1)
    ]
    assert in_microbatches[0] < 0.4 * in_microbatches[1]
