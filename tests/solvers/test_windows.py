"""Tests that slices are improved, and nothing else happens to a schedule."""

from __future__ import annotations

from itertools import islice

from nobubble.problem import Problem
from nobubble.solvers.one_at_a_time import one_at_a_time
from nobubble.solvers.outcome import keeps_to
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch
from nobubble.solvers.windows import improve_windows
from tests.bounds.exhaustive import NEVER
from tests.exact.problems import hard_problem, tiny_problems


def improved(
    problem: Problem, start: Solution, *, work: float = 5.0, bound: int = 0
) -> list[Solution]:
    """Give what is found, one after the other."""
    found: list[Solution] = []
    improve_windows(problem, start, Watch(), bound=bound, work=work, seed=0, found=found.append)
    return found


def test_a_slice_that_holds_all_gives_the_optimum() -> None:
    """Tests problems solved by trying everything, both objectives, any placement and memory."""
    reached = 0
    for problem, optimum in islice(tiny_problems(seed=5), 40):
        if optimum == NEVER:
            continue
        slow = one_at_a_time(problem)
        assert slow is not None
        start = Solution.of("slow", problem, slow)
        costs = [start.timing.cost(problem)]
        for solution in improved(problem, start):
            assert keeps_to(problem, solution)
            costs.append(solution.timing.cost(problem))
        assert costs == sorted(set(costs), reverse=True)
        assert costs[-1] >= optimum
        if not problem.may_fuse.any():
            assert costs[-1] == optimum
            reached += 1
    assert reached >= 5


def test_the_same_work_finds_the_same() -> None:
    """Tests that nothing depends on the clock."""
    problem, start = hard_problem(6)
    first, second = (improved(problem, start, work=0.5) for _ in range(2))
    assert [list(one.order.letters) for one in first] == [list(one.order.letters) for one in second]


def test_nothing_is_done_without_leave() -> None:
    """Tests a stop before the start, no work, and a schedule that meets the bound."""
    problem, start = hard_problem(4)
    assert improved(problem, start, work=0) == []
    assert improved(problem, start, bound=start.timing.cost(problem)) == []
    watch = Watch()
    watch.stop()
    found: list[Solution] = []
    improve_windows(problem, start, watch, bound=0, work=5, seed=0, found=found.append)
    assert found == []
