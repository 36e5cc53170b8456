"""Tests that what was solved once is not solved again, and that schedules come back unharmed."""

from __future__ import annotations

import pytest
from sqlalchemy import update

from nobubble_api.store.errors import StoreError
from nobubble_api.store.store import Store
from nobubble_api.store.tables import schedules
from nobubble_api.work import content_hash
from tests.api.store.examples import PROBLEM, new, solved, timed, work


def test_a_stored_result_answers_at_once(store: Store) -> None:
    """Tests that the same work is done when submitted, whatever its time limit, the queue full."""
    first, _ = store.submit(new(1), most_queued=1)
    store.claim("me", 1)
    store.finish(first.id, "me", solved(b"\x00\xff" * 1000), problem=None)
    answer = store.job(first.id)
    for submission in (new(1), timed(1, 0.5)):
        job, created = store.submit(submission, most_queued=0)
        assert created
        assert job.id != first.id
        assert (job.state, job.attempts, job.started_at) == ("done", 0, None)
        assert job.finished_at == job.created_at
        for name in (
            *("method", "status", "stopped_by", "cost"),
            *("lower_bound", "gap", "seconds", "schedule"),
        ):
            assert getattr(job, name) == getattr(answer, name) is not None
        assert [event.data for event in store.events(job.id)] == [{"state": "done"}]
    assert store.result(work(1).result_key()) == answer.schedule
    assert answer.schedule is not None
    assert store.schedule(answer.schedule) == b"\x00\xff" * 1000


@pytest.mark.parametrize("stopped_by", ["time_limit", "stopped"])
def test_what_a_clock_cut_short_is_solved_again(store: Store, stopped_by: str) -> None:
    """Tests that an answer that another run may better is nobody else's."""
    job, _ = store.submit(timed(1), most_queued=10)
    store.claim("me", 1)
    store.finish(job.id, "me", solved(stopped_by=stopped_by), problem=None)
    assert store.job(job.id).state == "done"
    assert store.result(work(1).result_key()) is None
    assert store.submit(timed(1), most_queued=10)[0].state == "queued"


def test_a_failure_is_no_result(store: Store) -> None:
    """Tests that what failed is tried again when it is asked for again."""
    job, _ = store.submit(new(1), most_queued=10)
    store.claim("me", 1)
    store.finish(job.id, "me", None, problem=PROBLEM)
    assert store.submit(new(1), most_queued=10)[0].state == "queued"


def test_a_result_answers_queued_jobs_of_other_time_limits(store: Store) -> None:
    """Tests that a proof ends the same work under any limit, and nothing that differs."""
    first, _ = store.submit(timed(1, 1.0), most_queued=10)
    waiting, _ = store.submit(timed(1, 2.0), most_queued=10)
    different, _ = store.submit(timed(2, 2.0), most_queued=10)
    store.claim("me", 1)
    assert store.finish(first.id, "me", solved(), problem=None) == [first.id, waiting.id]
    assert store.job(waiting.id).schedule == content_hash(b"a schedule\n")
    assert store.job(different.id).state == "queued"


def test_equal_documents_are_stored_once(store: Store) -> None:
    """Tests that two jobs with the same answer share it."""
    for number in (1, 2):
        job, _ = store.submit(new(number), most_queued=10)
        store.claim("me", 1)
        store.finish(job.id, "me", solved(b"the same"), problem=None)
    name = content_hash(b"the same")
    assert [job.schedule for job in store.jobs().jobs] == [name, name]
    assert store.schedule(name) == b"the same"


@pytest.mark.parametrize("name", ["", "0" * 64, "A" * 64, "\x00"])
def test_unknown_schedules(store: Store, name: str) -> None:
    """Tests that what is not there is None."""
    assert store.schedule(name) is None
    assert store.result("0" * 64) is None


@pytest.mark.parametrize("damage", [b"", b"not compressed", None])
def test_a_damaged_schedule_is_noticed(store: Store, damage: bytes | None) -> None:
    """Tests that a document is given only as it was stored."""
    job, _ = store.submit(new(1), most_queued=10)
    store.claim("me", 1)
    store.finish(job.id, "me", solved(), problem=None)
    name = content_hash(b"a schedule\n")
    if damage is None:  # another whole document
        other, _ = store.submit(new(2), most_queued=10)
        store.claim("me", 1)
        store.finish(other.id, "me", solved(b"other\n"), problem=None)
    with store.database.engine.begin() as connection:
        if damage is None:
            damage = (
                connection.execute(
                    schedules.select().where(schedules.c.content_hash == content_hash(b"other\n"))
                )
                .one()
                .compressed
            )
        connection.execute(
            update(schedules).where(schedules.c.content_hash == name).values(compressed=damage)
        )
    with pytest.raises(StoreError, match=f"{name} is damaged"):
        store.schedule(name)
