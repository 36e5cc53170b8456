"""Tests that no spoilt document passes, and that none breaks the verifier."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nobubble.errors import ScheduleError
from nobubble.schedule.reading import parse_schedule
from nobubble.verifier.verify import verify
from tests.verifier.examples import document, schedules

COMPUTE = ("F", "B", "W", "BW")
TRANSFERS = ("SEND_F", "RECV_F", "SEND_B", "RECV_B")

few = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@few
@given(schedules())
def test_every_schedule_that_is_built_is_valid(schedule: Any) -> None:
    """Tests that what is timed and built is accepted: any placement, backward, times of zero."""
    assert verify(schedule) == []


def pick(schedule: Any, chance: Random, ops: tuple[str, ...] = COMPUTE + TRANSFERS) -> Any:
    """Give the actions of a rank, and the place of one of them; None when there is none."""
    places = [
        (rank["actions"], place)
        for rank in schedule["ranks"]
        for place, action in enumerate(rank["actions"])
        if action["op"] in ops
    ]
    return chance.choice(places) if places else (None, None)


def other(value: Any, values: Any, chance: Random) -> Any:
    """Give another of some values."""
    return chance.choice([one for one in values if one != value])


def drop(schedule: Any, chance: Random) -> None:
    """Take out an action."""
    row, place = pick(schedule, chance)
    del row[place]


def repeat(schedule: Any, chance: Random) -> None:
    """Put an action in once more, anywhere."""
    row, place = pick(schedule, chance)
    target = chance.choice(schedule["ranks"])["actions"]
    target.insert(chance.randint(0, len(target)), dict(row[place]))


def move_to_another_rank(schedule: Any, chance: Random) -> None:
    """Move an action to another rank."""
    row, place = pick(schedule, chance)
    targets = [rank["actions"] for rank in schedule["ranks"] if rank["actions"] is not row]
    action = row.pop(place)
    if targets:
        target = chance.choice(targets)
        target.insert(chance.randint(0, len(target)), action)


def swap_ops(schedule: Any, chance: Random) -> None:
    """Swap two ops of a rank that start at different times."""
    pairs = [
        (rank["actions"], one, two)
        for rank in schedule["ranks"]
        for two, later in enumerate(rank["actions"])
        for one, sooner in enumerate(rank["actions"][:two])
        if "start" in later and "start" in sooner and later["start"] > sooner["start"]
    ]
    if not pairs:
        schedule["cost"] += 1
        return
    row, one, two = chance.choice(pairs)
    row[one], row[two] = row[two], row[one]


def shift(schedule: Any, chance: Random) -> None:
    """Change a start, an end, or both alike."""
    row, place = pick(schedule, chance, COMPUTE)
    by = chance.choice([-1, 1, 10**6])
    for key in chance.choice([["start"], ["end"], ["start", "end"]]):
        row[place][key] += by


def change_number(schedule: Any, chance: Random) -> None:
    """Change a stage, a microbatch or a peer."""
    row, place = pick(schedule, chance)
    key = chance.choice([key for key in ("stage", "microbatch", "peer") if key in row[place]])
    row[place][key] = other(row[place][key], [*range(7), 2**31 - 1], chance)


def change_op(schedule: Any, chance: Random) -> None:
    """Change what an action is."""
    row, place = pick(schedule, chance)
    op = row[place]["op"]
    row[place]["op"] = other(op, COMPUTE if op in COMPUTE else TRANSFERS, chance)


def change_time(schedule: Any, chance: Random) -> None:
    """Change a figure of the whole schedule."""
    key = chance.choice(["cost", "makespan", "rank_span", "lower_bound"])
    if key == "lower_bound":
        schedule[key] = schedule["cost"] + 1
    else:
        (schedule if key == "cost" else schedule["metrics"])[key] += chance.choice([-1, 1, 10**40])


def change_rate(schedule: Any, chance: Random) -> None:
    """Change a rate."""
    key = chance.choice(["gap", "bubble_rate", "idle_rate"])
    part = schedule if key == "gap" else schedule["metrics"]
    part[key] = float(part[key]) + chance.choice([-1e-6, 1e-6, 1e300])


def change_figure_of_rank(schedule: Any, chance: Random) -> None:
    """Change a figure of a rank."""
    of_rank = chance.choice(schedule["metrics"]["ranks"])
    key = chance.choice(list(of_rank))
    of_rank[key] = 1 if of_rank[key] is None else of_rank[key] + 1


def change_word(schedule: Any, chance: Random) -> None:
    """Change a word of the document."""
    words: dict[str, list[Any]] = {
        "status": ["optimal", "feasible"],
        "objective": ["makespan", "rank_span"],
        "requires": [[], ["post_validation"]],
        "profile_sha256": ["", "0" * 64],
    }
    key = chance.choice(list(words))
    schedule[key] = other(schedule[key], words[key], chance)


def change_placement(schedule: Any, chance: Random) -> None:
    """Change the rank of a stage, or the number of stages."""
    placement = schedule["placement"]
    stage = chance.randrange(len(placement) + 1)
    if stage == len(placement):
        placement.append(0)
    else:
        placement[stage] = other(placement[stage], range(6), chance)


def change_profile(schedule: Any, chance: Random) -> None:
    """Change the profile."""
    profile = schedule["profile"]
    key = chance.choice(["microbatches", "objective", "stages", "memory_limit", "static_memory"])
    if key == "microbatches":
        profile[key] += 1
    elif key == "objective":
        profile[key] = other(profile[key], ["makespan", "rank_span"], chance)
    elif key == "stages":
        chance.choice(profile[key])[chance.choice(COMPUTE)]["time"] += 1
    elif key == "memory_limit":
        profile[key][0] = 0
    else:
        profile[key][-1] += 1


SPOILINGS: list[Callable[[Any, Random], None]] = [
    drop,
    repeat,
    move_to_another_rank,
    swap_ops,
    shift,
    change_number,
    change_op,
    change_time,
    change_rate,
    change_figure_of_rank,
    change_word,
    change_placement,
    change_profile,
]


@pytest.mark.parametrize("spoil", SPOILINGS)
@few
@given(schedule=schedules(), chance=st.randoms(use_true_random=False))
def test_every_spoiling_is_found(
    spoil: Callable[[Any, Random], None], schedule: Any, chance: Random
) -> None:
    """Tests that a document spoilt in one place still reads, and is never accepted."""
    spoil(schedule, chance)
    findings = verify(parse_schedule(schedule))
    assert findings
    assert all(findings)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Give every place of a document: what holds it, and its key or index."""
    for key in value if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([2**31 - 1, 2**64, 10**400, -(10**4000), 1e308, -0.0, 1e-320])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from([*COMPUTE, *TRANSFERS, "op", "gpipe"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


SMALL = document("F0 B0 W0", "F1 B1 W1", microbatches=1)


@settings(max_examples=300, deadline=None)
@given(data=st.data(), chance=st.randoms(use_true_random=False))
def test_no_document_breaks_reading_or_verifying(
    data: st.DataObject, chance: random.Random
) -> None:
    """Tests that with anything anywhere a document is refused as such, or verified."""
    schedule = copy.deepcopy(SMALL)
    for _ in range(chance.randint(1, 3)):
        if chance.random() < 0.3:
            try:
                chance.choice(SPOILINGS)(schedule, chance)
            except (TypeError, KeyError, ValueError, IndexError, AttributeError, ArithmeticError):
                continue  # the spoiling before left nothing that this one can spoil
        else:
            holder, key = chance.choice(list(places(schedule)))
            holder[key] = data.draw(JUNK)
    try:
        parsed = parse_schedule(schedule)
    except ScheduleError as error:
        assert error.faults
        assert "pydantic" not in str(error).lower()
        assert "Input should" not in str(error)
    else:
        assert all(isinstance(finding, str) for finding in verify(parsed))
