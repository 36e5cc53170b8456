"""Tests that every nanosecond between plan and run is accounted for."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nobubble.profile.model import Profile
from nobubble.profile.reading import parse_profile
from nobubble.runs.difference import Difference, difference
from nobubble.runs.measured import cost_with, measured_profile
from nobubble.runs.reading import Run, Step, TimedOp, planned_step
from nobubble.runs.report import causes
from nobubble.schedule.document import ScheduleDocument
from nobubble.solve import solve
from tests.strategies import profiles


def ran(
    profile: Profile, planned: Step, rng: random.Random, *, slower: float, later: int, own: int
) -> Step:
    """Run a plan with ops up to so many times slower, messages later and gaps longer, in ns."""
    done: dict[Any, int] = {}
    rows: list[list[TimedOp]] = [[] for _ in planned.ranks]
    last = len(profile.stages) - 1
    left = [list(row) for row in planned.ranks]
    ops = {each.op for row in planned.ranks for each in row}
    while any(left):
        progressed = False
        for rank, row in enumerate(left):
            while row:
                kind, stage, j = row[0].op
                needs: list[tuple[Any, int]] = []
                if kind == "F" and stage > 0:
                    needs = [(("F", stage - 1, j), profile.communication_forward[stage - 1])]
                if kind in ("B", "BW") and stage < last:
                    of = "B" if ("B", stage + 1, j) in ops else "BW"
                    needs = [((of, stage + 1, j), profile.communication_backward[stage])]
                if any(op not in done for op, _ in needs):
                    break
                free = rows[rank][-1].end if rows[rank] else 0
                arrival = free
                for op, travel in needs:
                    crosses = profile.placement[op[1]] != profile.placement[stage]
                    late = rng.randint(0, later) if crosses else 0
                    arrival = max(arrival, done[op] + (travel + late if crosses else 0))
                start = arrival + rng.randint(0, own)
                time = round(row[0].time * (1 + rng.random() * slower))
                rows[rank].append(TimedOp(row[0].op, start, start + time))
                done[row[0].op] = start + time
                row.pop(0)
                progressed = True
        assert progressed
    return Step(0, tuple(tuple(row) for row in rows))


def adds_up(found: Difference, planned: Step, measured: Step) -> None:
    """Check that all sums are exact."""
    zero = min(row[0].start for row in measured.ranks)
    for rank, (plan, real) in enumerate(zip(planned.ranks, measured.ranks, strict=True)):
        more = (real[-1].end - zero) - plan[-1].end
        assert found.of_rank(rank).total() == more
        assert found.measured[rank].waits >= 0
        assert found.measured[rank].late >= 0
        assert found.measured[rank].own >= 0
        assert found.planned[rank].late == 0
        assert found.planned[rank].own == 0
    links = found.chain
    more = sum(link.ran.time - link.planned + link.late + link.own - link.quicker for link in links)
    assert more - found.slack == found.measured_makespan - found.planned_makespan
    assert found.slack >= 0


@settings(deadline=None, max_examples=60)
@given(profiles(), st.integers(0, 2**32), st.sampled_from((0.0, 0.3, 2.0)), st.integers(0, 40))
def test_everything_adds_up(profile: Profile, seed: int, slower: float, spread: int) -> None:
    """Tests that for every rank, and along the critical chain, the parts are the difference."""
    document = solve(profile, method="greedy")
    planned = planned_step(document)
    rng = random.Random(seed)
    measured = ran(profile, planned, rng, slower=slower, later=spread, own=spread // 2)
    adds_up(difference(profile, planned, measured), planned, measured)


@settings(deadline=None, max_examples=30)
@given(profiles())
def test_a_run_as_planned_differs_in_nothing(profile: Profile) -> None:
    """Tests that the plan beside itself has no difference, and no cause."""
    planned = planned_step(solve(profile, method="greedy"))
    found = difference(profile, planned, planned)
    adds_up(found, planned, planned)
    assert all(found.of_rank(rank).total() == 0 for rank in range(profile.ranks))
    assert found.measured_makespan == found.planned_makespan
    assert causes(found.chain) == []


def small() -> ScheduleDocument:
    """Give a schedule of three ranks and four microbatches."""
    op = {"time": 10}
    profile = {
        "schema": "nobubble.profile/1",
        "time_unit": "ns",
        "ranks": 3,
        "microbatches": 4,
        "stages": {"F": op, "B": op, "W": op},
        "communication": 1,
    }
    return solve(parse_profile(profile), method="zb-h1")


@pytest.mark.parametrize("rank", [0, 1, 2])
def test_a_slow_rank_is_named(rank: int) -> None:
    """Tests that where one rank's F's are slow, the first cause is that rank and F."""
    document = small()
    profile = parse_profile(document["profile"])
    planned = planned_step(document)

    def slowed(each: TimedOp, at: int) -> TimedOp:
        times_as_long = 3 if each.op[0] == "F" and at == rank else 1
        return TimedOp(each.op, each.start, each.start + each.time * times_as_long)

    rows = enumerate(planned.ranks)
    slow = Step(0, tuple(tuple(slowed(each, at) for each in row) for at, row in rows))
    measured = ran(profile, slow, random.Random(0), slower=0, later=0, own=0)
    found = difference(profile, planned, measured)
    worst = causes(found.chain)[0]
    assert worst[:2] == (rank, "F")
    others = [found.of_rank(other) for other in range(3) if other != rank]
    assert all(sum(part.ops.values()) == 0 and part.waits > 0 for part in others)


def test_measured_times_make_a_profile() -> None:
    """Tests that medians over steps and microbatches are taken, and what the plan costs then."""
    document = small()
    profile = parse_profile(document["profile"])
    planned = planned_step(document)
    steps = tuple(
        Step(
            number,
            tuple(
                tuple(TimedOp(each.op, each.start, each.start + 10 * number) for each in row)
                for row in planned.ranks
            ),
        )
        for number in (1, 2, 9)
    )
    measured = measured_profile(profile, Run("run", "", 0, steps))
    assert [stage.F.time for stage in measured.stages] == [20, 20, 20]
    assert cost_with(document, measured) > float(document["cost"])
    assert cost_with(document, profile) == document["cost"]
