"""Tests that what happens to a job can be followed and read again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from nobubble_api.store import events
from nobubble_api.store.store import Store
from nobubble_api.work import News, content_hash
from tests.api.store.examples import new, news, solved


@pytest.fixture
def running(store: Store) -> str:
    """Give the id of a job that "me" runs."""
    job, _ = store.submit(new(), most_queued=10)
    store.claim("me", 1)
    return job.id


def test_progress_is_kept_exactly(store: Store, running: str) -> None:
    """Tests that a report shows in the job and among its events, decimals in full."""
    assert store.report(running, "me", news(cost="0.000000010")) == 3
    job = store.job(running)
    assert (job.method, job.gap, job.last_event) == ("search", 0.125, 3)
    assert job.cost is not None
    assert job.cost.as_tuple() == Decimal("0.000000010").as_tuple()
    assert job.lower_bound == Decimal("2000")
    event = store.events(running)[-1]
    assert (event.sequence, event.kind) == (3, "progress")
    assert abs(datetime.now(UTC) - event.at) < timedelta(minutes=1)
    assert event.data == {
        "text": "search: 0.000000010",
        "method": "search",
        "cost": 1e-8,
        "lower_bound": 2000.0,
        "gap": 0.125,
        "schedule": None,
    }


def test_the_best_schedule_so_far(store: Store, running: str) -> None:
    """Tests that a schedule can be read while the run goes on, and stays when a line follows."""
    store.report(running, "me", news(b"first"))
    store.report(running, "me", news(b"second", cost="2999"))
    store.report(running, "me", News(text="a line without figures"))
    job = store.job(running)
    assert (job.cost, job.schedule) == (Decimal("2999"), content_hash(b"second"))
    assert store.schedule(content_hash(b"second")) == b"second"
    assert store.events(running)[-2].data["schedule"] == content_hash(b"second")


def test_reading_resumes_where_it_stopped(store: Store, running: str) -> None:
    """Tests that events come in order, from any place, in pieces, and end with the job."""
    for _ in range(4):
        store.report(running, "me", news())
    store.finish(running, "me", solved(), problem=None)
    assert [event.sequence for event in store.events(running)] == [1, 2, 3, 4, 5, 6, 7]
    assert [event.sequence for event in store.events(running, after=2, limit=3)] == [3, 4, 5]
    assert store.events(running)[-1].data == {"state": "done"}
    assert store.events(running, after=7) == []
    assert store.events(running, after=10**30) == []
    assert store.events("unknown") == []


def test_the_newest_events_of_several_jobs(store: Store, running: str) -> None:
    """Tests that one look tells which of many jobs have news."""
    other, _ = store.submit(new(2), most_queued=10)
    store.report(running, "me", news())
    assert store.latest_events([running, other.id, "unknown"]) == {running: 3, other.id: 1}
    assert store.latest_events([]) == {}


def test_old_progress_is_dropped(
    store: Store, running: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests that a run that tells much keeps its changes of state and its newest progress."""
    monkeypatch.setattr(events, "MOST_PROGRESS", 5)
    for _ in range(12):
        store.report(running, "me", news())
    kept = store.events(running)
    assert [event.sequence for event in kept] == [1, 2, 10, 11, 12, 13, 14]
    assert [event.kind for event in kept[:2]] == ["state", "state"]
