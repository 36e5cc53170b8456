"""The store: every call is one transaction, or several that may each stand alone."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import Connection, update

from nobubble_api.store import events, jobs, results, retention, running
from nobubble_api.store.database import Database, insert_if_absent, now
from nobubble_api.store.migrating import migrate
from nobubble_api.store.model import Beat, Event, Job, JobState, NewJob, Page
from nobubble_api.store.tables import checks
from nobubble_api.work import News, Solved


class Store:
    """Jobs, events, schedules and results in one database, shared by service processes.

    Synchronous, and safe to call from several threads. Every call may raise `StoreError`; what it
    was about to write is then not written.
    """

    def __init__(self, database: Database) -> None:
        self.database = database

    @classmethod
    def open(cls, url: str) -> Store:
        """Connect, and bring the tables up to date.

        Parameters
        ----------
        url : str
            ``sqlite:///file`` (an absolute path has four slashes) or ``postgresql://user:password@host/name``.

        Raises
        ------
        StoreError
            The URL is not one of these, the database cannot be reached, or a newer nobubble wrote
            it.
        """
        migrate(url)
        return cls(Database(url))

    def submit(self, new: NewJob, *, most_queued: int) -> tuple[Job, bool]:
        """Queue a job, or answer it at once where the result of the same work is stored.

        Returns
        -------
        job : Job
        created : bool
            False when the idempotency key came before with the same work: the job is that one.

        Raises
        ------
        IdempotencyConflictError
            The key came before with other work.
        QueueFullError
            `most_queued` jobs wait already. On PostgreSQL simultaneous submissions may exceed it
            by their number.
        """
        return self.database.write(lambda connection: jobs.submit(connection, new, most_queued))

    def job(self, job_id: str) -> Job:
        """Give a job as it is now, or raise `UnknownJobError`."""
        return self.database.read(lambda connection: jobs.job(connection, job_id))

    def jobs(
        self,
        *,
        state: JobState | None = None,
        tag: str | None = None,
        after: str | None = None,
        limit: int = 50,
    ) -> Page:
        """List jobs, newest first.

        Parameters
        ----------
        state, tag
            Only jobs of this state, with this tag.
        after : str or None
            The `next` of an earlier page; another text is an `InputError`.
        limit : int
            Jobs on the page, 1 or more.
        """
        return self.database.read(
            lambda connection: jobs.page(connection, state, tag, after, limit)
        )

    def claim(self, owner: str, most: int) -> list[Job]:
        """Take up to `most` queued jobs to run them, oldest first.

        Of jobs that ask for the same run only one runs at a time, in the whole database.
        """
        return self.database.write(lambda connection: running.claim(connection, owner, most))

    def beat(self, owner: str) -> Beat:
        """Tell that the owner lives, and learn which jobs are still its own."""
        return self.database.write(lambda connection: running.beat(connection, owner))

    def take_back(self, silent_for: timedelta, *, most_attempts: int) -> list[str]:
        """Take the running jobs of owners whose last heartbeat is older than `silent_for`.

        They are queued again; those that were to be cancelled end as cancelled, and those that
        were run `most_attempts` times end as failed, with a problem that says so.

        Returns
        -------
        list of str
            The ids of all jobs whose state changed.
        """
        return self.database.write(
            lambda connection: running.take_back(connection, silent_for, most_attempts)
        )

    def give_back(self, job_id: str, owner: str, *, most_attempts: int) -> list[str]:
        """Queue a job again whose worker was lost, or end it as `take_back` does.

        Returns
        -------
        list of str
            The ids of all jobs whose state changed; none when the job is not the owner's.
        """
        return self.database.write(
            lambda connection: running.give_back(connection, job_id, owner, most_attempts)
        )

    def release(self, owner: str) -> int:
        """Queue the owner's running jobs again, for a graceful stop: no attempt is counted.

        Those that were to be cancelled end as cancelled. Returns how many there were.
        """
        return self.database.write(lambda connection: running.release(connection, owner))

    def report(self, job_id: str, owner: str, news: News) -> int:
        """Append a progress event, and keep the best figures and schedule so far.

        Returns
        -------
        int
            The event's sequence; 0 when the job is not, or no longer, the owner's.
        """
        return self.database.write(
            lambda connection: running.report(connection, job_id, owner, news)
        )

    def finish(
        self,
        job_id: str,
        owner: str,
        solved: Solved | None,
        *,
        problem: dict[str, object] | None,
        cancelled: bool = False,
    ) -> list[str]:
        """End a run: done with `solved`, failed with `problem`, or cancelled.

        Queued jobs that ask for the same run end the same way, unless it was cancelled. A
        reproducible result is kept for later submissions, and answers queued jobs of the same
        work under any time limit. A cancelled job keeps `solved` where given, else the best
        schedule that was reported.

        Returns
        -------
        list of str
            The ids of all jobs that ended, this one first; none when the job is not, or no
            longer, the owner's.
        """
        return self.database.write(
            lambda connection: running.finish(connection, job_id, owner, solved, problem, cancelled)
        )

    def cancel(self, job_id: str) -> Job:
        """Cancel a queued job at once, ask the owner of a running one to; ended: unchanged.

        Raises
        ------
        UnknownJobError
        """
        return self.database.write(lambda connection: jobs.cancel(connection, job_id))

    def events(self, job_id: str, after: int = 0, limit: int = 500) -> list[Event]:
        """Give the events after a sequence, oldest first; none for an unknown job."""
        return self.database.read(
            lambda connection: events.events_after(connection, job_id, after, limit)
        )

    def latest_events(self, job_ids: Collection[str]) -> dict[str, int]:
        """Give the sequence of the newest event of each job, without those that are unknown."""
        return self.database.read(lambda connection: events.latest_events(connection, job_ids))

    def schedule(self, content_hash: str) -> bytes | None:
        """Give a schedule document, checked against its hash; None where it is not kept."""
        return self.database.read(lambda connection: results.schedule(connection, content_hash))

    def result(self, result_key: str) -> str | None:
        """Give the content hash of the stored result of a `Work.result_key`, or None."""
        return self.database.read(lambda connection: results.result(connection, result_key))

    def delete_ended(self, before: datetime) -> int:
        """Delete jobs that ended, and results that were stored, before a time.

        With them go the events, and every schedule that nothing refers to any more: of a job that
        stays only its newest schedule does. Returns how many jobs were deleted.
        """
        deleted = self._delete(partial(retention.delete_jobs, before=before))
        self._delete(partial(retention.delete_results, before=before))
        self._delete(retention.delete_schedules)
        return deleted

    def counts(self) -> dict[JobState, int]:
        """Count the jobs in every state."""
        return self.database.read(jobs.counts)

    def check(self) -> None:
        """Raise `StoreError` unless the database can be reached and written."""
        self.database.write(_write_check)

    def close(self) -> None:
        """Close all connections."""
        self.database.close()

    def _delete(self, some: Callable[[Connection], int]) -> int:
        deleted = 0
        while count := self.database.write(some):
            deleted += count
        return deleted


def _write_check(connection: Connection) -> None:
    moment = now(connection)
    insert_if_absent(connection, checks, {"id": 1, "checked_at": moment})
    connection.execute(update(checks).values(checked_at=moment))
