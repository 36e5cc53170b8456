"""Tests that jobs are kept as submitted, found again, and cancelled."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from nobubble.errors import InputError
from nobubble_api.store.errors import IdempotencyConflictError, QueueFullError, UnknownJobError
from nobubble_api.store.model import JobState, NewJob
from nobubble_api.store.store import Store
from tests.api.store.examples import new, solved, timed, work

STRANGE = 'Größe \u20ac \U0001f680 "quoted" %s :name \\ \n'


def states(store: Store, job_id: str) -> list[object]:
    """Give what the events of a job say about its state."""
    return [event.data["state"] for event in store.events(job_id) if event.kind == "state"]


def test_a_job_is_kept_as_submitted(url: str) -> None:
    """Tests that every field comes back, after the store was closed and opened again too."""
    store = Store.open(url)
    given = NewJob(work=work(1, time_limit=0.1), name=STRANGE, tags=("b", STRANGE, "b", "a"))
    job, created = store.submit(given, most_queued=10)
    store.close()
    assert created
    assert (job.state, job.name, job.tags) == ("queued", STRANGE, ("b", STRANGE, "a"))
    assert job.work == given.work
    assert (job.owner, job.attempts, job.cancel_requested, job.last_event) == (None, 0, False, 1)
    assert (job.started_at, job.finished_at, job.cost, job.schedule) == (None, None, None, None)
    assert abs(datetime.now(UTC) - job.created_at) < timedelta(minutes=1)
    assert job.created_at.utcoffset() == timedelta(0)
    store = Store.open(url)
    assert store.job(job.id) == job
    assert states(store, job.id) == ["queued"]
    store.close()


@pytest.mark.parametrize("job_id", ["0" * 32, "", "a\x00b", "' OR 1=1 --"])
def test_unknown_jobs(store: Store, job_id: str) -> None:
    """Tests that an id that is not there, or cannot be one, is unknown and no other error."""
    with pytest.raises(UnknownJobError, match="there is no job"):
        store.job(job_id)
    with pytest.raises(UnknownJobError):
        store.cancel(job_id)


def test_the_same_key_gives_the_same_job(store: Store) -> None:
    """Tests that a repeated submission makes no second job, in whatever state the first is."""
    first, created = store.submit(new(1, key="k"), most_queued=1)
    again, created_again = store.submit(new(1, key="k"), most_queued=1)
    assert (created, created_again) == (True, False)
    assert again == first
    store.cancel(first.id)
    assert store.submit(new(1, key="k"), most_queued=1)[0].state == "cancelled"
    other, created_other = store.submit(new(1, key="other"), most_queued=1)
    assert created_other
    assert other.id != first.id


def test_the_same_key_for_other_work_is_refused(store: Store) -> None:
    """Tests that a key that comes back with other work is a conflict that names the job."""
    first, _ = store.submit(new(1, key="k"), most_queued=10)
    with pytest.raises(IdempotencyConflictError, match=f"'k' belongs to job {first.id}"):
        store.submit(new(2, key="k"), most_queued=10)
    with pytest.raises(IdempotencyConflictError):
        store.submit(
            NewJob(work=work(1, time_limit=1.0), idempotency_key="k"),
            most_queued=10,
        )
    assert store.counts()["queued"] == 1


def test_a_full_queue_refuses(store: Store) -> None:
    """Tests that no more wait than may wait, and that running jobs do not count."""
    store.submit(new(1), most_queued=2)
    store.submit(new(2), most_queued=2)
    with pytest.raises(QueueFullError, match="2 jobs are queued, and at most 2 may be"):
        store.submit(new(3), most_queued=2)
    store.claim("me", 1)
    store.submit(new(3), most_queued=2)
    assert store.counts() == {"queued": 2, "running": 1, "done": 0, "failed": 0, "cancelled": 0}


def test_pages(store: Store) -> None:
    """Tests that pages show every job once, newest first, also while new ones arrive."""
    ids = [store.submit(new(number), most_queued=100)[0].id for number in range(7)]
    seen = []
    after = None
    while True:
        page = store.jobs(after=after, limit=3)
        seen.append([job.id for job in page.jobs])
        store.submit(new(100 + len(seen)), most_queued=100)
        if page.next is None:
            break
        after = page.next
    newest_first = ids[::-1]
    assert seen == [newest_first[:3], newest_first[3:6], newest_first[6:]]


def test_a_last_page_that_is_full_has_no_next(store: Store) -> None:
    """Tests that no cursor leads to an empty page."""
    for number in range(3):
        store.submit(new(number), most_queued=100)
    assert store.jobs(limit=3).next is None
    assert store.jobs(limit=2).next is not None


def test_jobs_by_state_and_tag(store: Store) -> None:
    """Tests that jobs are found by state, by tag and by both."""
    red, _ = store.submit(new(1, tags=("red", "warm")), most_queued=10)
    blue, _ = store.submit(new(2, tags=("blue",)), most_queued=10)
    orange, _ = store.submit(new(3, tags=("warm",)), most_queued=10)
    store.cancel(orange.id)

    def found(state: JobState | None = None, tag: str | None = None) -> list[str]:
        return [job.id for job in store.jobs(state=state, tag=tag).jobs]

    assert found() == [orange.id, blue.id, red.id]
    assert found(tag="warm") == [orange.id, red.id]
    assert found("queued") == [blue.id, red.id]
    assert found("queued", "warm") == [red.id]
    assert found(tag="war") == []


@pytest.mark.parametrize("after", ["", "x", "0" * 31, "a\x00"])
def test_a_wrong_cursor(store: Store, after: str) -> None:
    """Tests that a text that is no cursor is the client's mistake."""
    with pytest.raises(InputError, match="is not a cursor"):
        store.jobs(after=after)


def test_cancelling_a_queued_job(store: Store) -> None:
    """Tests that it ends at once and is never claimed; others of the same work stay queued."""
    job, _ = store.submit(new(1), most_queued=10)
    other, _ = store.submit(new(1), most_queued=10)
    cancelled = store.cancel(job.id)
    assert (cancelled.state, cancelled.attempts) == ("cancelled", 0)
    assert cancelled.finished_at is not None
    assert states(store, job.id) == ["queued", "cancelled"]
    assert store.cancel(job.id) == cancelled
    assert [claimed.id for claimed in store.claim("me", 5)] == [other.id]


def test_cancelling_a_running_job(store: Store) -> None:
    """Tests that its owner learns of it, and that it keeps the best schedule that was found."""
    job, _ = store.submit(new(1), most_queued=10)
    store.claim("me", 1)
    assert store.cancel(job.id).state == "running"
    assert store.cancel(job.id).cancel_requested
    assert store.beat("me").cancelled == {job.id}
    ended = store.finish(job.id, "me", solved(stopped_by="stopped"), problem=None, cancelled=True)
    assert ended == [job.id]
    kept = store.job(job.id)
    assert (kept.state, kept.stopped_by) == ("cancelled", "stopped")
    assert kept.schedule is not None
    assert store.schedule(kept.schedule) == b"a schedule\n"


def test_cancelling_what_ended_changes_nothing(store: Store) -> None:
    """Tests that a job that is done stays done."""
    job, _ = store.submit(new(1), most_queued=10)
    store.claim("me", 1)
    store.finish(job.id, "me", solved(), problem=None)
    done = store.job(job.id)
    assert store.cancel(job.id) == done
    assert store.job(job.id) == done


def test_ids_sort_by_time(store: Store) -> None:
    """Tests that a later submission has the greater id."""
    ids = [store.submit(timed(number), most_queued=100)[0].id for number in range(20)]
    assert ids == sorted(ids)
    assert all(len(job_id) == 32 and job_id[12] == "7" for job_id in ids)
