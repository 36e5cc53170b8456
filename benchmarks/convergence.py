"""How soon the search is near its final cost, and how fast it goes.

The paper's 28.3B model on other numbers of ranks, `auto` with effort max: with half of 1F1B's
memory (makespan), and with twice that (rank span). Time and work are those until a cost within 1 %
and 0.1 % of the final one was at hand; work is in ops timed, 0 where a heuristic was there at once.
Costs are looked at after every million ops timed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from decimal import Decimal
from statistics import median
from typing import Any, Final
from unittest.mock import patch

import numpy as np

from benchmarks.options import Options, nanoseconds, parser
from benchmarks.sizes import sized
from benchmarks.tables import announced, print_table
from benchmarks.timings import time_again
from nobubble.compiled.annealing import anneal
from nobubble.problem import Problem
from nobubble.profile.model import Objective, Profile
from nobubble.progress import Progress
from nobubble.solve import solve
from nobubble.solvers.greedy import greedy
from nobubble.solvers.search import round as rounds
from nobubble.solvers.search.round import anneal_round
from nobubble.solvers.watch import Watch
from nobubble.units import TIME_UNITS, from_unit

SIZES: Final = ((8, 24), (32, 96), (32, 256), (64, 512))
SETTINGS: Final[tuple[tuple[Objective, float], ...]] = (("makespan", 0.5), ("rank_span", 2))
WORK: Final = 5_000_000
"""Of a run for the throughput, in ops timed."""
RUNS: Final = 5


class Recorder:
    """Notes the best cost, the time and the work, at progress reports and pauses of the search."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._begin = time.perf_counter()
        self._work_before = 0
        self._work = 0
        self.points: list[tuple[int, float, int]] = []
        self.moves = np.zeros(2, dtype=np.int64)

    def report(self, progress: Progress) -> None:
        """Take a progress report."""
        if progress.draft is not None:
            self._note(int(from_unit(Decimal(progress.draft.cost), TIME_UNITS[self._unit])))

    def anneal(self, *arguments: Any) -> None:
        """Anneal until the next pause."""
        progress = arguments[-1]
        if progress[1] == 0:  # the next round
            self._work_before += self._work
        moves = progress[2:].copy()
        anneal(*arguments)
        self.moves += progress[2:] - moves
        self._work = int(progress[1])
        self._note(int(progress[0]))

    def work(self) -> int:
        """Give the work that is done, in ops timed."""
        return self._work_before + self._work

    def within(self, limit: float) -> tuple[float, int]:
        """Give the time and the work when a cost was first no higher."""
        return next((taken, work) for cost, taken, work in self.points if cost <= limit)

    def _note(self, cost: int) -> None:
        self.points.append((cost, time.perf_counter() - self._begin, self.work()))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print both tables."""
    given = parser(__doc__)
    given.set_defaults(effort="max", time_limit=20.0)
    options = Options.of(given.parse_args(arguments))
    solve(sized(2, 2), effort="normal")  # loads what is compiled
    cases = [(*size, *setting) for size in SIZES for setting in SETTINGS]
    rows = [
        _convergence(*case, options)
        for case in announced(cases, lambda case: "p={}, m={}, {}, {}x".format(*case))
    ]
    print(f"\nConvergence, {options}\n")
    print_table(
        [
            "p, m, ops", "objective", "memory", "final (ns)", "gap", "stopped by", "within 1 %",
            "work", "within 0.1 %", "work", "in all", "work",
        ],
        rows,
    )  # fmt: skip
    print(f"\nThroughput a second, median of {RUNS} runs\n")
    print_table(
        ["ops", "moves tried", "ops timed by them", "whole timings", "ops timed by those"],
        [_throughput(sized(p, m, objective="makespan", memory=0.5)) for p, m in SIZES[:2]],
    )


def _convergence(
    ranks: int, microbatches: int, objective: Objective, memory: float, options: Options
) -> list[object]:
    profile = sized(ranks, microbatches, objective=objective, memory=memory)
    recorder = Recorder(profile.time_unit)
    begin = time.perf_counter()
    with patch.object(rounds, "anneal", recorder.anneal):
        document = solve(
            profile,
            effort=options.effort,
            time_limit=options.time_limit,
            progress=recorder.report,
        )
    taken = time.perf_counter() - begin
    cost = nanoseconds(document)
    cells: list[object] = []
    for near in (1.01, 1.001):
        seconds, work = recorder.within(near * cost)
        cells += [f"{seconds:.2f} s", _millions(work)]
    return [
        f"{ranks}, {microbatches}, {3 * ranks * microbatches:,}",
        objective,
        f"{memory:g}x",
        cost,
        f"{float(document['gap']):.3%}",
        document["stopped_by"],
        *cells,
        f"{taken:.1f} s",
        _millions(recorder.work()),
    ]


def _throughput(profile: Profile) -> list[object]:
    """Measure annealing from a schedule of greedy's, and the timing of that order."""
    problem = Problem.of(profile)
    start = greedy(profile, problem, Watch())[0]
    count = len(start.order.letters)
    moves, ops, timings = [], [], []
    for _ in range(RUNS + 1):
        recorder = Recorder(profile.time_unit)
        begin = time.perf_counter()
        with patch.object(rounds, "anneal", recorder.anneal):
            anneal_round(problem, start, Watch(), target=0, work=WORK, hot=0.1, cold=0.001, seed=1)
        taken = time.perf_counter() - begin
        moves.append(recorder.moves[0] / taken)
        ops.append(recorder.work() / taken)
        times = max(1, 2_000_000 // count)
        begin = time.perf_counter()
        time_again(problem, start.order, times)
        timings.append(times / (time.perf_counter() - begin))
    whole = median(timings[1:])  # the first run loads what is compiled
    return [
        f"{count:,}",
        f"{median(moves[1:]):,.0f}",
        f"{median(ops[1:]):,.0f}",
        f"{whole:,.0f}",
        f"{whole * count:,.0f}",
    ]


def _millions(work: int) -> str:
    return f"{work / 1e6:.0f} M"


if __name__ == "__main__":
    main()
