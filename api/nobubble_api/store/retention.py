"""Deletes what is no longer kept, in small transactions, so that others get their turn."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, delete, exists, select

from nobubble_api.store.tables import jobs, results, schedules

# Rows that one transaction deletes: some tens of milliseconds.
_AT_ONCE = 200


def delete_jobs(connection: Connection, before: datetime) -> int:
    """Delete some jobs that ended before a time, with their events and tags."""
    # Running and queued jobs have no time of ending, and so never are before any.
    chosen = select(jobs.c.id).where(jobs.c.finished_at < before).limit(_AT_ONCE)
    return connection.execute(delete(jobs).where(jobs.c.id.in_(chosen))).rowcount


def delete_results(connection: Connection, before: datetime) -> int:
    """Delete some results that were stored before a time."""
    chosen = select(results.c.result_key).where(results.c.created_at < before).limit(_AT_ONCE)
    return connection.execute(delete(results).where(results.c.result_key.in_(chosen))).rowcount


def delete_schedules(connection: Connection) -> int:
    """Delete some schedules that neither a job nor a result refers to."""
    chosen = (
        select(schedules.c.content_hash)
        .where(
            ~exists().where(jobs.c.schedule == schedules.c.content_hash),
            ~exists().where(results.c.schedule == schedules.c.content_hash),
        )
        .limit(_AT_ONCE)
    )
    return connection.execute(
        delete(schedules).where(schedules.c.content_hash.in_(chosen))
    ).rowcount
