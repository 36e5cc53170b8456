"""Tests that what ended long ago goes, with all that is only its own."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import func, select, update

from nobubble_api.store.errors import UnknownJobError
from nobubble_api.store.store import Store
from nobubble_api.store.tables import jobs, metadata
from nobubble_api.work import content_hash
from tests.api.store.examples import new, news, solved, work

LATER = timedelta(days=1)


def solve(store: Store, number: int, document: bytes, *, stopped_by: str = "proof") -> str:
    """Submit and finish work; give the job's id."""
    job, _ = store.submit(new(number, tags=("t",)), most_queued=10)
    store.claim("me", 1)
    store.finish(job.id, "me", solved(document, stopped_by=stopped_by), problem=None)
    return job.id


def rows(store: Store) -> dict[str, int]:
    """Count the rows of every table."""
    with store.database.engine.begin() as connection:
        return {
            name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for name, table in metadata.tables.items()
        }


def test_everything_of_ended_jobs_goes(store: Store) -> None:
    """Tests that no row stays of jobs and results before the time, however many there are."""
    for number in range(3):
        solve(store, number, b"%d" % number)
    for _ in range(300):
        store.submit(new(0), most_queued=10)
    assert store.delete_ended(datetime.now(UTC) + LATER) == 303
    assert set(rows(store).values()) == {0}


def test_what_is_newer_stays(store: Store) -> None:
    """Tests that a cleaning deletes nothing that ended after its time."""
    solve(store, 1, b"kept")
    before = rows(store)
    assert store.delete_ended(datetime.now(UTC) - LATER) == 0
    assert rows(store) == before


def test_what_goes_on_stays(store: Store) -> None:
    """Tests that queued and running jobs stay at any age, with their events and schedules."""
    running, _ = store.submit(new(1), most_queued=10)
    store.claim("me", 1)
    store.report(running.id, "me", news(b"best so far"))
    queued, _ = store.submit(new(2), most_queued=10)
    assert store.delete_ended(datetime.now(UTC) + LATER) == 0
    assert store.job(running.id).state == "running"
    assert store.job(queued.id).state == "queued"
    assert store.latest_events([running.id]) == {running.id: 3}
    assert len(store.events(running.id)) == 3
    assert store.schedule(content_hash(b"best so far")) == b"best so far"


def test_a_shared_schedule_stays_as_long_as_anything_has_it(store: Store) -> None:
    """Tests that a deleted job leaves the schedule to a newer job, and its result to no one."""
    old = solve(store, 1, b"shared", stopped_by="time_limit")
    between = datetime.now(UTC)
    time.sleep(0.01)
    young = solve(store, 2, b"shared", stopped_by="time_limit")
    assert store.delete_ended(between) == 1
    with pytest.raises(UnknownJobError):
        store.job(old)
    assert store.job(young).schedule == content_hash(b"shared")
    assert store.schedule(content_hash(b"shared")) == b"shared"


def test_a_result_outlives_its_job(store: Store) -> None:
    """Tests that a result that is young enough answers when the first job is gone."""
    solve(store, 1, b"answer")
    with store.database.engine.begin() as connection:
        connection.execute(update(jobs).values(finished_at=datetime.now(UTC) - 2 * LATER))
    assert store.delete_ended(datetime.now(UTC) - LATER) == 1
    assert store.result(work(1).result_key()) == content_hash(b"answer")
    assert store.schedule(content_hash(b"answer")) == b"answer"
    assert store.submit(new(1), most_queued=0)[0].state == "done"


def test_schedules_that_were_bettered_go(store: Store) -> None:
    """Tests that of a run only its newest schedule is kept by a cleaning."""
    job, _ = store.submit(new(1), most_queued=10)
    store.claim("me", 1)
    store.report(job.id, "me", news(b"good"))
    store.report(job.id, "me", news(b"better"))
    assert rows(store)["schedules"] == 2
    store.delete_ended(datetime.now(UTC) - LATER)
    assert rows(store)["schedules"] == 1
    assert store.schedule(content_hash(b"better")) == b"better"


def test_a_key_is_free_again_when_its_job_is_gone(store: Store) -> None:
    """Tests that an idempotency key is kept as long as its job."""
    job, _ = store.submit(new(1, key="k"), most_queued=10)
    store.cancel(job.id)
    store.delete_ended(datetime.now(UTC) + LATER)
    other, created = store.submit(new(2, key="k"), most_queued=10)
    assert created
    assert other.id != job.id
