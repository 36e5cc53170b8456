"""What happened to jobs: changes of state, and what their runs told."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, delete, insert, select, update

from nobubble_api.store.model import Event, JobState
from nobubble_api.store.tables import events, jobs
from nobubble_api.work import News

# Progress events that a job keeps, the newest: half an hour at one a second.
MOST_PROGRESS = 2000


def change_state(
    connection: Connection,
    which: ColumnElement[bool],
    state: JobState,
    moment: datetime,
    **values: object,
) -> list[str]:
    """Change the state of all jobs that meet a condition, and append the event to each.

    This is the only way in which jobs that exist change their state, so that no change goes
    untold.

    Returns
    -------
    list of str
        The ids of the jobs that met the condition, oldest first.
    """
    changed = connection.execute(
        update(jobs)
        .where(which)
        .values(state=state, last_event=jobs.c.last_event + 1, **values)
        .returning(jobs.c.id, jobs.c.last_event)
    ).all()
    append_states(connection, {row.id: row.last_event for row in changed}, state, moment)
    return sorted(row.id for row in changed)


def append_states(
    connection: Connection, sequences: dict[str, int], state: JobState, moment: datetime
) -> None:
    """Append a state event to each job, at the sequence given for it."""
    if sequences:
        connection.execute(
            insert(events),
            [
                {
                    "job_id": job_id,
                    "sequence": sequence,
                    "at": moment,
                    "kind": "state",
                    "data": {"state": state},
                }
                for job_id, sequence in sequences.items()
            ],
        )


def append_progress(
    connection: Connection,
    job_id: str,
    sequence: int,
    news: News,
    schedule: str | None,
    moment: datetime,
) -> None:
    """Append a progress event, and drop the progress that is too old to keep."""
    data = {
        "text": news.text,
        "method": news.method,
        "cost": None if news.cost is None else float(news.cost),
        "lower_bound": None if news.lower_bound is None else float(news.lower_bound),
        "gap": news.gap,
        "schedule": schedule,
    }
    connection.execute(
        insert(events).values(
            job_id=job_id, sequence=sequence, at=moment, kind="progress", data=data
        )
    )
    if sequence > MOST_PROGRESS:
        connection.execute(
            delete(events).where(
                events.c.job_id == job_id,
                events.c.sequence <= sequence - MOST_PROGRESS,
                events.c.kind == "progress",
            )
        )


def events_after(connection: Connection, job_id: str, after: int, limit: int) -> list[Event]:
    """Give a job's events after a sequence, oldest first."""
    after = min(after, 2**31 - 1)  # more than there can be; what a client sends may be any number
    rows = connection.execute(
        select(events.c.sequence, events.c.at, events.c.kind, events.c.data)
        .where(events.c.job_id == job_id, events.c.sequence > after)
        .order_by(events.c.sequence)
        .limit(limit)
    )
    return [Event(sequence=row.sequence, at=row.at, kind=row.kind, data=row.data) for row in rows]


def latest_events(connection: Connection, job_ids: Collection[str]) -> dict[str, int]:
    """Give the sequence of the newest event of each job that exists."""
    rows = connection.execute(
        select(jobs.c.id, jobs.c.last_event).where(jobs.c.id.in_(list(job_ids)))
    )
    return {row.id: row.last_event for row in rows}
