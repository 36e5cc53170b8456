"""Tests that every job is run by one process at a time, and that none is lost with its process."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from nobubble_api.store.store import Store
from nobubble_api.store.tables import jobs
from tests.api.store.examples import PROBLEM, new, news, solved, timed
from tests.api.store.test_jobs import states

SILENT = timedelta(seconds=30)


def queue(store: Store, *numbers: int) -> list[str]:
    """Submit work by number; give the ids."""
    return [store.submit(new(number), most_queued=1000)[0].id for number in numbers]


def fall_silent(store: Store, owner: str) -> None:
    """Make the last heartbeat of an owner an old one."""
    with store.database.engine.begin() as connection:
        connection.execute(
            update(jobs)
            .where(jobs.c.owner == owner)
            .values(heartbeat_at=datetime.now(UTC) - 2 * SILENT)
        )


def test_the_oldest_are_claimed_first(store: Store) -> None:
    """Tests that jobs run in the order of submission, each claimed once."""
    ids = queue(store, 1, 2, 3, 4)
    first = store.claim("a", 3)
    assert [job.id for job in first] == ids[:3]
    assert {(job.state, job.owner, job.attempts) for job in first} == {("running", "a", 1)}
    assert all(job.started_at and job.started_at >= job.created_at for job in first)
    assert [job.id for job in store.claim("b", 3)] == ids[3:]
    assert store.claim("b", 3) == []
    assert store.beat("a").running == frozenset(ids[:3])
    assert states(store, ids[0]) == ["queued", "running"]


def test_nothing_is_claimed_by_who_wants_nothing(store: Store) -> None:
    """Tests that a process without a free worker leaves the queue alone."""
    queue(store, 1)
    assert store.claim("a", 0) == []
    assert store.claim("a", -1) == []


def test_the_same_run_is_run_once(store: Store) -> None:
    """Tests that of identical jobs one runs, and that its answer ends all of them."""
    one, other, third, same = queue(store, 1, 2, 1, 1)
    assert [job.id for job in store.claim("a", 10)] == [one, other]
    assert store.claim("b", 10) == []
    answer = solved(stopped_by="time_limit")
    assert store.finish(one, "a", answer, problem=None) == [one, third, same]
    for job_id in (third, same):
        job = store.job(job_id)
        assert (job.state, job.cost, job.attempts) == ("done", answer.cost, 0)
        assert job.schedule == store.job(one).schedule
        assert job.finished_at is not None
        assert states(store, job_id) == ["queued", "done"]


def test_another_time_limit_is_another_run(store: Store) -> None:
    """Tests that runs under different limits do not wait for each other."""
    store.submit(timed(1, 1.0), most_queued=10)
    store.submit(timed(1, 2.0), most_queued=10)
    assert len(store.claim("a", 10)) == 2


def test_after_a_cancelled_run_the_next_of_the_flight_runs(store: Store) -> None:
    """Tests that a cancellation ends one client's job only."""
    one, other = queue(store, 1, 1)
    store.claim("a", 5)
    store.cancel(one)
    assert store.finish(one, "a", None, problem=None, cancelled=True) == [one]
    assert store.job(one).state == "cancelled"
    assert [job.id for job in store.claim("a", 5)] == [other]


def test_a_failure_ends_the_flight(store: Store) -> None:
    """Tests that what fails fails for all who asked for it, with the reason."""
    one, other, different = queue(store, 1, 1, 2)
    store.claim("a", 1)
    assert store.finish(one, "a", None, problem=PROBLEM) == [one, other]
    assert (store.job(other).state, store.job(other).problem) == ("failed", PROBLEM)
    assert store.job(different).state == "queued"


def test_only_the_owner_reports_and_finishes(store: Store) -> None:
    """Tests that a process that lost a job changes nothing of it any more."""
    (job_id,) = queue(store, 1)
    assert store.report(job_id, "a", news()) == 0
    store.claim("a", 1)
    assert store.report(job_id, "b", news()) == 0
    assert store.finish(job_id, "b", solved(), problem=None) == []
    assert store.job(job_id).state == "running"
    assert store.finish(job_id, "a", solved(), problem=None) == [job_id]
    assert store.finish(job_id, "a", None, problem=PROBLEM) == []
    assert store.report(job_id, "a", news()) == 0
    assert (store.job(job_id).state, store.job(job_id).last_event) == ("done", 3)


def test_jobs_of_a_silent_owner_are_taken_back(store: Store) -> None:
    """Tests that only who is silent loses jobs, and that these run again elsewhere."""
    (lost, kept) = queue(store, 1, 2)
    store.claim("silent", 1)
    store.claim("alive", 1)
    assert store.take_back(SILENT, most_attempts=3) == []
    fall_silent(store, "silent")
    assert store.take_back(SILENT, most_attempts=3) == [lost]
    assert store.take_back(SILENT, most_attempts=3) == []
    job = store.job(lost)
    assert (job.state, job.owner, job.started_at, job.attempts) == ("queued", None, None, 1)
    assert store.beat("silent").running == frozenset()
    assert store.beat("alive").running == {kept}
    assert store.finish(lost, "silent", solved(), problem=None) == []
    (again,) = store.claim("alive", 1)
    assert (again.id, again.attempts) == (lost, 2)
    assert states(store, lost) == ["queued", "running", "queued", "running"]


def test_a_heartbeat_keeps_jobs(store: Store) -> None:
    """Tests that an owner keeps a job for as long as it beats."""
    (job_id,) = queue(store, 1)
    store.claim("a", 1)
    fall_silent(store, "a")
    assert store.beat("a").running == {job_id}
    assert store.take_back(SILENT, most_attempts=3) == []
    assert store.job(job_id).state == "running"


def test_what_kills_its_process_each_time_fails(store: Store) -> None:
    """Tests that such a job does not go round for ever, and takes those with it that ask alike."""
    one, other = queue(store, 1, 1)
    for _ in range(2):
        store.claim("a", 1)
        fall_silent(store, "a")
        assert store.take_back(SILENT, most_attempts=3) == [one]
    store.claim("a", 1)
    fall_silent(store, "a")
    assert store.take_back(SILENT, most_attempts=3) == [one, other]
    for job in map(store.job, (one, other)):
        assert job.state == "failed"
        assert job.problem is not None
        assert "ended 3 times before it had an answer" in str(job.problem["detail"])
    assert states(store, one)[-1] == "failed"


def test_a_graceful_stop_counts_no_attempt(store: Store) -> None:
    """Tests that released jobs are queued as if they had not been run, and keep their place."""
    first, second, third = queue(store, 1, 2, 3)
    store.claim("a", 2)
    store.report(first, "a", news(b"best so far"))
    assert store.release("a") == 2
    assert store.release("a") == 0
    job = store.job(first)
    assert (job.state, job.attempts, job.owner) == ("queued", 0, None)
    assert job.schedule is not None
    assert [job.id for job in store.claim("b", 3)] == [first, second, third]


@pytest.mark.parametrize("how", ["release", "take_back"])
def test_what_was_to_be_cancelled_is_not_run_again(store: Store, how: str) -> None:
    """Tests that a cancellation outlives the process that was asked."""
    (job_id,) = queue(store, 1)
    store.claim("a", 1)
    store.report(job_id, "a", news(b"best so far"))
    store.cancel(job_id)
    if how == "release":
        assert store.release("a") == 1
    else:
        fall_silent(store, "a")
        assert store.take_back(SILENT, most_attempts=1) == [job_id]
    job = store.job(job_id)
    assert (job.state, job.owner) == ("cancelled", None)
    assert job.schedule is not None
    assert store.schedule(job.schedule) == b"best so far"
    assert store.claim("b", 1) == []
