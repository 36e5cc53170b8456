"""Jobs as clients see them: submitted, read, listed, cancelled."""

from __future__ import annotations

import re
import secrets
import time

from sqlalchemy import ColumnElement, Connection, Row, false, func, insert, select, update

from nobubble.errors import InputError
from nobubble_api.store.database import now
from nobubble_api.store.errors import (
    IdempotencyConflictError,
    QueueFullError,
    UnknownJobError,
)
from nobubble_api.store.events import append_states, change_state
from nobubble_api.store.model import JOB_STATES, Job, JobState, NewJob, Page
from nobubble_api.store.results import lock_result, stored_result
from nobubble_api.store.tables import QUEUED, RUNNING, in_state, job_tags, jobs
from nobubble_api.work import Work

_STORED_AS_THEY_ARE = (
    "id",
    "state",
    "name",
    "created_at",
    "started_at",
    "finished_at",
    "attempts",
    "owner",
    "cancel_requested",
    "method",
    "cost",
    "lower_bound",
    "gap",
    "schedule",
    "status",
    "stopped_by",
    "seconds",
    "problem",
    "last_event",
)
_ID = re.compile("[0-9a-f]{32}")
JOB_COLUMNS = [jobs.c[name] for name in (*_STORED_AS_THEY_ARE, "tags", "work")]


def job_from(row: Row[tuple[object, ...]]) -> Job:
    """Make a job of a row with the `JOB_COLUMNS`."""
    values = row._mapping
    return Job(
        tags=tuple(values["tags"]),
        work=Work.from_json(values["work"]),
        **{name: values[name] for name in _STORED_AS_THEY_ARE},
    )


def submit(connection: Connection, new: NewJob, most_queued: int) -> tuple[Job, bool]:
    """Queue a job or answer it at once; see `Store.submit`."""
    if new.idempotency_key is not None:
        earlier = connection.execute(
            select(*JOB_COLUMNS).where(jobs.c.idempotency_key == new.idempotency_key)
        ).one_or_none()
        if earlier is not None:
            job = job_from(earlier)
            if job.work != new.work:
                raise IdempotencyConflictError(new.idempotency_key, job.id)
            return job, False
    result_key = new.work.result_key()
    lock_result(connection, result_key)
    answer = stored_result(connection, result_key)
    if answer is None:
        queued = connection.execute(select(func.count()).where(QUEUED)).scalar_one()
        if queued >= most_queued:
            raise QueueFullError(queued, most_queued)
    return _insert(connection, new, result_key, answer), True


def _insert(
    connection: Connection, new: NewJob, result_key: str, answer: dict[str, object] | None
) -> Job:
    moment = now(connection)
    job_id = new_id()
    tags = list(dict.fromkeys(new.tags))
    state: JobState = "queued" if answer is None else "done"
    row = connection.execute(
        insert(jobs)
        .values(
            id=job_id,
            state=state,
            name=new.name,
            tags=tags,
            work=new.work.to_json(),
            flight_key=new.work.flight_key(),
            result_key=result_key,
            idempotency_key=new.idempotency_key,
            created_at=moment,
            finished_at=None if answer is None else moment,
            attempts=0,
            cancel_requested=False,
            last_event=1,
            **(answer or {}),
        )
        .returning(*JOB_COLUMNS)
    ).one()
    append_states(connection, {job_id: 1}, state, moment)
    if tags:
        connection.execute(insert(job_tags), [{"job_id": job_id, "tag": tag} for tag in tags])
    return job_from(row)


def new_id() -> str:
    """Give a UUID version 7 (RFC 9562) in hexadecimal: it begins with the time, to 0.25 us."""
    milliseconds, nanoseconds = divmod(time.time_ns(), 1_000_000)
    fraction = (nanoseconds << 12) // 1_000_000
    high = milliseconds << 16 | 0x7000 | fraction
    return f"{high << 64 | 0b10 << 62 | secrets.randbits(62):032x}"


def job(connection: Connection, job_id: str) -> Job:
    """Give a job, or raise `UnknownJobError`."""
    row = connection.execute(select(*JOB_COLUMNS).where(_is(job_id))).one_or_none()
    if row is None:
        raise UnknownJobError(job_id)
    return job_from(row)


def _is(job_id: str) -> ColumnElement[bool]:
    # PostgreSQL takes some texts, with a NUL say, for an error and not for unknown.
    return jobs.c.id == job_id if _ID.fullmatch(job_id) else false()


def page(
    connection: Connection,
    state: JobState | None,
    tag: str | None,
    after: str | None,
    limit: int,
) -> Page:
    """List jobs, newest first; the cursor is the id of the last job of a page."""
    query = select(*JOB_COLUMNS).order_by(jobs.c.id.desc()).limit(limit + 1)
    if state is not None:
        query = query.where(in_state(jobs, state))
    if tag is not None:
        query = query.join(job_tags, job_tags.c.job_id == jobs.c.id).where(job_tags.c.tag == tag)
    if after is not None:
        if not _ID.fullmatch(after):
            raise InputError(f"after: {after!r} is not a cursor: give the one of an earlier page")
        query = query.where(jobs.c.id < after)
    found = [job_from(row) for row in connection.execute(query)]
    shown = tuple(found[:limit])
    return Page(jobs=shown, next=shown[-1].id if len(found) > limit else None)


def cancel(connection: Connection, job_id: str) -> Job:
    """Cancel a queued job, ask for the end of a running one."""
    this = _is(job_id)
    # Locks the row, so that it is either still queued below, or running until this commits.
    connection.execute(select(jobs.c.id).where(this).with_for_update())
    moment = now(connection)
    if not change_state(connection, this & QUEUED, "cancelled", moment, finished_at=moment):
        connection.execute(update(jobs).where(this & RUNNING).values(cancel_requested=True))
    return job(connection, job_id)


def counts(connection: Connection) -> dict[JobState, int]:
    """Count the jobs in every state."""
    rows = connection.execute(select(jobs.c.state, func.count()).group_by(jobs.c.state)).all()
    return {state: dict(map(tuple, rows)).get(state, 0) for state in JOB_STATES}
