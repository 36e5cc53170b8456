"""Tests of how the exact solvers start, stop, and repeat themselves.

No clock is read: a solver that does not stop never comes back.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from nobubble.problem import Problem
from nobubble.solvers.outcome import Outcome
from nobubble.solvers.solution import Solution
from nobubble.solvers.watch import Watch
from tests.exact.problems import SOLVERS, hard_problem, tiny_problems

ENDLESS = 1e9


@pytest.fixture(params=SOLVERS)
def name(request: pytest.FixtureRequest) -> str:
    """Each solver in turn."""
    return str(request.param)


def test_keeps_the_start_when_it_may_not_work(name: str) -> None:
    """Tests that no work gives back the very schedule that was given, with nothing proved."""
    problem, start = hard_problem(8)
    outcome = SOLVERS[name](problem, Watch(), start=start, bound=0, work=0)
    assert outcome == Outcome(start, None, "work")
    assert SOLVERS[name](problem, Watch(), start=None, bound=0, work=0) == Outcome(
        None, None, "work"
    )


def test_keeps_the_start_when_it_finds_nothing_better(name: str) -> None:
    """Tests that hardly any work never loses or worsens what was there."""
    problem, start = hard_problem(8)
    work = {"cpsat": 1e-4, "milp": 1.0}[name]
    outcome = SOLVERS[name](problem, Watch(), start=start, bound=0, work=work)
    assert outcome.solution is start
    assert outcome.stopped_by == "work"


def test_a_start_at_the_bound_is_optimal_at_once(name: str) -> None:
    """Tests that nothing is looked for below a bound, even without leave to work."""
    problem, start = hard_problem(8)
    cost = start.timing.cost(problem)
    outcome = SOLVERS[name](problem, Watch(), start=start, bound=cost, work=0)
    assert outcome == Outcome(start, None, "proof")


def test_refuses_a_bound_above_the_start(name: str) -> None:
    """Tests that two claims that cannot both hold are a fault of the caller."""
    problem, start = hard_problem(8)
    above = start.timing.cost(problem) + 1
    with pytest.raises(ValueError, match=f"the lower bound {above} is above"):
        SOLVERS[name](problem, Watch(), start=start, bound=above, work=1)


def test_refuses_a_start_that_does_not_fit(name: str) -> None:
    """Tests that a schedule of a problem with more memory is no start."""
    problem, start = hard_problem(8)
    problem.capacity[3] = 1
    with pytest.raises(ValueError, match="does not keep to the problem"):
        SOLVERS[name](problem, Watch(), start=start, bound=0, work=1)


def test_stops_before_it_starts(name: str) -> None:
    """Tests that a request to stop that comes first counts."""
    problem, start = hard_problem(8)
    watch = Watch()
    watch.stop()
    outcome = SOLVERS[name](problem, watch, start=start, bound=0, work=ENDLESS)
    assert outcome == Outcome(start, None, "stopped")
    outcome = SOLVERS[name](problem, watch, start=None, bound=0, work=ENDLESS)
    assert outcome == Outcome(None, None, "stopped")


class _StoppedWhileBuilding(Watch):
    """A watch that is asked to stop after the first look, so before the solver runs."""

    def is_over(self) -> bool:
        """Look; it is over from the next look on."""
        is_over = super().is_over()
        self.stop()
        return is_over


def test_stops_when_asked_between_building_and_running(name: str) -> None:
    """Tests that a request which the library forgets, since it has not begun, is made again."""
    problem, start = hard_problem(12)
    watch = _StoppedWhileBuilding()
    outcome = SOLVERS[name](problem, watch, start=start, bound=0, work=ENDLESS)
    assert outcome.stopped_by == "stopped"


@pytest.mark.parametrize("with_start", [True, False])
def test_stops_when_asked(name: str, with_start: bool) -> None:
    """Tests that a request to stop from another thread ends it, with what it has."""
    problem, start = hard_problem(12)
    watch = Watch()
    timer = threading.Timer(0.4, watch.stop)
    timer.start()
    outcome = SOLVERS[name](
        problem, watch, start=start if with_start else None, bound=0, work=ENDLESS
    )
    timer.join()
    assert outcome.stopped_by == "stopped"
    _check(problem, outcome, start if with_start else None)


@pytest.mark.parametrize("microbatches", [12, 24])
def test_keeps_to_the_time_limit(name: str, microbatches: int) -> None:
    """Tests that the wall clock ends it however much work is allowed."""
    problem, start = hard_problem(microbatches)
    outcome = SOLVERS[name](problem, Watch(0.5), start=start, bound=0, work=ENDLESS)
    assert outcome.stopped_by == "time_limit"
    _check(problem, outcome, start)


def _check(problem: Problem, outcome: Outcome, start: Solution | None) -> None:
    if start is not None:
        assert outcome.solution is not None
        assert outcome.solution.timing.cost(problem) <= start.timing.cost(problem)
    if outcome.solution is not None:
        assert (outcome.solution.timing.peak_memory <= problem.capacity).all()
        assert (outcome.lower_bound or 0) <= outcome.solution.timing.cost(problem)


@contextmanager
def _busy_cores(number: int) -> Iterator[None]:
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


@pytest.mark.parametrize("with_start", [True, False])
def test_gives_the_same_when_all_cores_are_busy(name: str, with_start: bool) -> None:
    """Tests that a budget of work ends at the same place whatever else the machine does."""
    problem, schedule = hard_problem(10)
    start = schedule if with_start else None
    work = {"cpsat": 0.1, "milp": 5.0}[name]

    def once() -> tuple[object, ...]:
        outcome = SOLVERS[name](problem, Watch(), start=start, bound=0, work=work)
        assert outcome.stopped_by == "work"
        letters = None if outcome.solution is None else outcome.solution.order.letters.tobytes()
        return letters, outcome.lower_bound

    idle = once()
    with _busy_cores(3):
        assert once() == idle
    assert once() == idle


def test_says_nothing(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Tests that nothing is printed, not even by the libraries: stdout is for the schedule."""
    problem, _ = next(tiny_problems(seed=5))
    SOLVERS[name](problem, Watch(), start=None, bound=0, work=10)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("order", ["cpsat milp", "milp cpsat"])
def test_both_work_in_one_process(order: str) -> None:
    """Tests that the two libraries can be loaded one after the other."""
    program = f"""
from nobubble.solvers.watch import Watch
from tests.exact.problems import tiny_problems
import nobubble.solvers, importlib
problem, _ = next(tiny_problems(seed=5))
for name in {order.split()}:
    solve = getattr(importlib.import_module("nobubble.solvers." + name), name)
    assert solve(problem, Watch(), start=None, bound=0, work=100).stopped_by == "proof"
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_other_methods_do_not_load_the_libraries() -> None:
    """Tests that a schedule by greedy does not wait for OR-Tools, PuLP or HiGHS to load."""
    program = """
import sys
from nobubble.solve import solve
from tests.published import row_profile, table_rows
solve(row_profile(table_rows()[0], 1, objective="makespan"), method="greedy")
print(sorted({"highspy", "ortools", "pulp", "pandas"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "[]\n", done.stderr
