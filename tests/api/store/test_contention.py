"""Tests that whatever simultaneous callers do, every job has a lawful history."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from nobubble_api.store.store import Store
from tests.api.store.examples import PROBLEM, new, news, solved, timed
from tests.api.store.test_processes import all_jobs

LAWFUL = {
    None: {"queued", "done"},  # done at once: the result was stored
    "queued": {"running", "done", "failed", "cancelled"},
    "running": {"queued", "done", "failed", "cancelled"},
    "done": set(),
    "failed": set(),
    "cancelled": set(),
}
THREADS, STEPS, KINDS = 8, 60, 4


def act(store: Store, seed: int) -> None:
    """Do what a service process does, at random, on few kinds of work so that callers collide."""
    draw = random.Random(seed)
    owner = f"owner {seed}"
    mine: list[str] = []
    for _ in range(STEPS):
        action = draw.randrange(8)
        if action < 3:
            kind = draw.randrange(KINDS)
            job, _ = store.submit(
                draw.choice([new(kind), timed(kind), new(kind, key=f"key {kind}")]),
                most_queued=10_000,
            )
            if draw.random() < 0.3:
                store.cancel(job.id)
        elif action == 3:
            mine += [job.id for job in store.claim(owner, 2)]
        elif action == 4:
            store.take_back(timedelta(seconds=draw.choice([0, 60])), most_attempts=3)
        elif action == 5:
            store.delete_ended(datetime.now(UTC) - timedelta(hours=1))
        elif mine:
            job_id = mine.pop()
            store.report(job_id, owner, news(b"so far %d" % draw.randrange(3)))
            answer = solved(stopped_by=draw.choice(["proof", *["time_limit"] * 9]))
            cancelled = draw.random() < 0.2
            failed = draw.random() < 0.2 and not cancelled
            store.finish(
                job_id,
                owner,
                None if failed else answer,
                problem=PROBLEM if failed else None,
                cancelled=cancelled,
            )
    store.release(owner)


def test_every_history_is_lawful(store: Store) -> None:
    """Tests eight callers at once: no error, no lost event, no change of state that cannot be."""
    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(act, [store] * THREADS, range(THREADS)))
    jobs = all_jobs(store)
    assert len(jobs) > THREADS
    for job in jobs:
        events = store.events(job.id)
        assert [event.sequence for event in events] == list(range(1, job.last_event + 1))
        told = [str(event.data["state"]) for event in events if event.kind == "state"]
        assert all(after in LAWFUL[before] for before, after in pairwise([None, *told]))
        assert told[-1] == job.state
        assert job.ended == (job.finished_at is not None)
        assert job.state != "running"
        assert job.owner is None
        if job.schedule is not None:
            assert store.schedule(job.schedule) is not None
        elif job.state == "done":
            raise AssertionError("done without a schedule")
