"""Tests that ranks which wait for each other for ever are found, and no others."""

from __future__ import annotations

import random

import pytest

from nobubble.verifier.waiting import Wait, waiting_circle


def waits_at_random(chance: random.Random) -> list[list[Wait]]:
    """Give a few ranks of a few actions each, some of which wait for another rank."""
    lengths = [chance.randint(0, 5) for _ in range(chance.randint(2, 5))]
    return [
        [
            (peer, chance.randint(0, lengths[peer])) if chance.random() < 0.6 else None
            for peer in chance.choices([r for r in range(len(lengths)) if r != rank], k=length)
        ]
        for rank, length in enumerate(lengths)
    ]


@pytest.mark.parametrize("seed", range(200))
def test_circles_against_passing_one_by_one(seed: int) -> None:
    """Tests that there is a circle exactly when running whatever can run leaves some over."""
    waits = waits_at_random(random.Random(seed))
    passed = [0] * len(waits)
    while True:
        able = [
            rank
            for rank, row in enumerate(waits)
            if passed[rank] < len(row)
            and ((wait := row[passed[rank]]) is None or passed[wait[0]] >= wait[1])
        ]
        if not able:
            break
        passed[able[0]] += 1
    circle = waiting_circle(waits)
    assert bool(circle) == any(at < len(row) for at, row in zip(passed, waits, strict=True))
    for (rank, place), (following, _) in zip(circle, circle[1:] + circle[:1], strict=True):
        assert place == passed[rank]
        wait = waits[rank][place]
        assert wait is not None
        assert wait[0] == following
        assert passed[following] < wait[1]


def test_random_cases_have_both_outcomes() -> None:
    """Tests that the cases above tell something: some get stuck and some do not."""
    stuck = sum(bool(waiting_circle(waits_at_random(random.Random(seed)))) for seed in range(200))
    assert 40 <= stuck <= 160
