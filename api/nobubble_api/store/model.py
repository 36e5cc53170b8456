"""What the store takes and gives: jobs, their events, pages of jobs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Literal, get_args

from nobubble_api.work import Work

JobState = Literal["queued", "running", "done", "failed", "cancelled"]
JOB_STATES: tuple[JobState, ...] = get_args(JobState)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """What a client submits.

    Attributes
    ----------
    work : Work
    name : str or None
        For people; need not be unique.
    tags : tuple of str
        To find jobs by; one that is given twice counts once.
    idempotency_key : str or None
        A second submission with the same key and the same work gives the first one's job.
    """

    work: Work
    name: str | None = None
    tags: tuple[str, ...] = ()
    idempotency_key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as the store holds it.

    Attributes
    ----------
    id : str
        32 hexadecimal digits that sort in the order of submission (UUID version 7).
    state : JobState
    name, tags, work
        As submitted; tags without repetitions.
    created_at, started_at, finished_at : datetime
        UTC. `started_at` is when the present or last run began; None for a job that never ran,
        because it is queued or was answered by another run of the same work.
    attempts : int
        Runs begun, those not counted that a graceful stop gave back.
    owner : str or None
        The service process that runs it; None unless running.
    cancel_requested : bool
    method, cost, lower_bound, gap
        Of the best schedule so far, in the end of the final one; None before the first. After a
        run was lost they stay until the next run tells its own.
    schedule : str or None
        The content hash of the final schedule, or of the best stored so far.
    status, stopped_by, seconds
        Of the finished run, see `nobubble_api.work.Solved`.
    problem : dict or None
        Why it failed: an RFC 9457 document.
    last_event : int
        The sequence of its newest event.
    """

    id: str
    state: JobState
    name: str | None
    tags: tuple[str, ...]
    work: Work
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    attempts: int
    owner: str | None
    cancel_requested: bool
    method: str | None
    cost: Decimal | None
    lower_bound: Decimal | None
    gap: float | None
    schedule: str | None
    status: str | None
    stopped_by: str | None
    seconds: float | None
    problem: dict[str, object] | None
    last_event: int

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.state in ("done", "failed", "cancelled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened to a job.

    Attributes
    ----------
    sequence : int
        1, 2, 3, ... per job. Old progress is dropped from long runs, so numbers may be missing.
    at : datetime
        UTC.
    kind : "state" or "progress"
    data : dict
        JSON. For a state ``{"state": ...}``. For progress ``{"text", "method", "cost",
        "lower_bound", "gap", "schedule"}``, the figures as numbers in the profile's time unit,
        the schedule by its content hash where a new one was stored, else null.
    """

    sequence: int
    at: datetime
    kind: Literal["state", "progress"]
    data: dict[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some jobs, newest first, and the cursor that continues after them (None: no more)."""

    jobs: tuple[Job, ...]
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Beat:
    """What an owner learns from its heartbeat.

    Attributes
    ----------
    running : frozenset of str
        The jobs that are still its own. A run of any other is lost to another process: end it.
    cancelled : frozenset of str
        Those of them that someone asked to cancel.
    """

    running: frozenset[str]
    cancelled: frozenset[str]
