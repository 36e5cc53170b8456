"""Jobs as the processes that run them see them: claimed, kept by heartbeats, given back, ended."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, Connection, exists, select, update

from nobubble_api.problems import problem
from nobubble_api.store.database import now
from nobubble_api.store.events import append_progress, change_state
from nobubble_api.store.jobs import JOB_COLUMNS, job_from
from nobubble_api.store.model import Beat, Job, JobState
from nobubble_api.store.results import figures_of, keep_result, keep_schedule, lock_result
from nobubble_api.store.tables import QUEUED, RUNNING, in_state, jobs
from nobubble_api.work import News, Solved, Work

_NOBODYS: dict[str, object] = {"owner": None, "heartbeat_at": None}


def claim(connection: Connection, owner: str, most: int) -> list[Job]:
    """Take queued jobs, oldest first, one of each flight and none of a flight that runs."""
    if most < 1:
        return []
    other = jobs.alias("other")
    same_flight = other.c.flight_key == jobs.c.flight_key
    oldest = connection.execute(
        select(jobs.c.id)
        .where(
            QUEUED,
            ~exists().where(same_flight, in_state(other, "running")),
            ~exists().where(same_flight, in_state(other, "queued"), other.c.id < jobs.c.id),
        )
        .order_by(jobs.c.id)
        .limit(most)
        .with_for_update(skip_locked=True, of=jobs)
    ).scalars()
    moment = now(connection)
    claimed = change_state(
        connection,
        jobs.c.id.in_(oldest.all()),
        "running",
        moment,
        owner=owner,
        heartbeat_at=moment,
        started_at=moment,
        attempts=jobs.c.attempts + 1,
    )
    rows = connection.execute(
        select(*JOB_COLUMNS).where(jobs.c.id.in_(claimed)).order_by(jobs.c.id)
    )
    return [job_from(row) for row in rows]


def beat(connection: Connection, owner: str) -> Beat:
    """Renew the heartbeat of all that the owner runs."""
    rows = connection.execute(
        update(jobs)
        .where(_runs(owner))
        .values(heartbeat_at=now(connection))
        .returning(jobs.c.id, jobs.c.cancel_requested)
    ).all()
    return Beat(
        running=frozenset(row.id for row in rows),
        cancelled=frozenset(row.id for row in rows if row.cancel_requested),
    )


def take_back(connection: Connection, silent_for: timedelta, most_attempts: int) -> list[str]:
    """Take the jobs of owners that are silent; see `Store.take_back`.

    Each update holds the whole condition, so that of several processes one takes a job, and none
    takes that of an owner who lives.
    """
    moment = now(connection)
    silent = RUNNING & (jobs.c.heartbeat_at < moment - silent_for)
    return _back_to_queue(connection, silent, moment, most_attempts)


def give_back(connection: Connection, job_id: str, owner: str, most_attempts: int) -> list[str]:
    """Give back one job; see `Store.give_back`."""
    this = (jobs.c.id == job_id) & _runs(owner)
    return _back_to_queue(connection, this, now(connection), most_attempts)


def release(connection: Connection, owner: str) -> int:
    """Give back all that the owner runs; see `Store.release`."""
    moment = now(connection)
    ended = _end_cancelled(connection, _runs(owner), moment)
    queued = change_state(
        connection,
        _runs(owner),
        "queued",
        moment,
        started_at=None,
        attempts=jobs.c.attempts - 1,
        **_NOBODYS,
    )
    return len(ended) + len(queued)


def report(connection: Connection, job_id: str, owner: str, news: News) -> int:
    """Keep what a run tells; see `Store.report`."""
    figures = {
        name: value
        for name in ("method", "cost", "lower_bound", "gap")
        if (value := getattr(news, name)) is not None
    }
    this = jobs.c.id == job_id
    sequence: int | None = connection.execute(
        update(jobs)
        .where(this, _runs(owner))
        .values(last_event=jobs.c.last_event + 1, **figures)
        .returning(jobs.c.last_event)
    ).scalar_one_or_none()
    if sequence is None:
        return 0
    schedule = None
    if news.document is not None:
        schedule = keep_schedule(connection, news.document)
        connection.execute(update(jobs).where(this).values(schedule=schedule))
    append_progress(connection, job_id, sequence, news, schedule, now(connection))
    return sequence


def finish(
    connection: Connection,
    job_id: str,
    owner: str,
    solved: Solved | None,
    failure: dict[str, object] | None,
    cancelled: bool,
) -> list[str]:
    """End a run, and what waits for the same; see `Store.finish`."""
    this = jobs.c.id == job_id
    row = connection.execute(
        select(jobs.c.flight_key, jobs.c.result_key, jobs.c.work)
        .where(this, _runs(owner))
        .with_for_update()
    ).one_or_none()
    if row is None:
        return []
    # Not the key at submission: the process that solved it may be of another version.
    result_key = Work.from_json(row.work).result_key()
    reproducible = solved is not None and solved.is_reproducible()
    if reproducible:
        lock_result(connection, result_key)
    moment = now(connection)
    figures = (
        {} if solved is None else figures_of(solved, keep_schedule(connection, solved.document))
    )
    state: JobState = "cancelled" if cancelled else "failed" if solved is None else "done"
    values: dict[str, object] = {**figures, "problem": failure}
    ended = _end(connection, this, state, moment, values)
    if state != "cancelled":
        ended += _end(connection, _waits_for(row.flight_key), state, moment, values)
    if reproducible:
        keep_result(connection, result_key, figures, moment)
        same_work = QUEUED & jobs.c.result_key.in_([row.result_key, result_key])
        ended += _end(connection, same_work, "done", moment, figures)
    return ended


def _back_to_queue(
    connection: Connection, lost: ColumnElement[bool], moment: datetime, most_attempts: int
) -> list[str]:
    """Queue jobs whose run was lost, or end them."""
    changed = _end_cancelled(connection, lost, moment)
    exhausted = connection.execute(
        select(jobs.c.id, jobs.c.flight_key, jobs.c.attempts)
        .where(lost, jobs.c.attempts >= most_attempts)
        .order_by(jobs.c.id)
        .with_for_update()
    ).all()
    for row in exhausted:
        values: dict[str, object] = {"problem": _lost_too_often(row.attempts)}
        changed += _end(connection, jobs.c.id == row.id, "failed", moment, values)
        changed += _end(connection, _waits_for(row.flight_key), "failed", moment, values)
    return changed + change_state(connection, lost, "queued", moment, started_at=None, **_NOBODYS)


def _runs(owner: str) -> ColumnElement[bool]:
    return RUNNING & (jobs.c.owner == owner)


def _waits_for(flight_key: str) -> ColumnElement[bool]:
    return QUEUED & (jobs.c.flight_key == flight_key)


def _end_cancelled(
    connection: Connection, which: ColumnElement[bool], moment: datetime
) -> list[str]:
    return _end(connection, which & jobs.c.cancel_requested, "cancelled", moment, {})


def _end(
    connection: Connection,
    which: ColumnElement[bool],
    state: JobState,
    moment: datetime,
    values: dict[str, object],
) -> list[str]:
    return change_state(connection, which, state, moment, finished_at=moment, **_NOBODYS, **values)


def _lost_too_often(attempts: int) -> dict[str, object]:
    return problem(
        "worker-lost",
        f"The process that solved this ended {attempts} times before it had an answer, "
        "possibly for want of memory. Try a smaller profile or another method.",
    )
