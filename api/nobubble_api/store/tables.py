"""The tables. A change here needs a migration; a test compares the two."""

from __future__ import annotations

from sqlalchemy import (
    JSON,
    Boolean,
    CheckConstraint,
    Column,
    ColumnElement,
    Float,
    ForeignKey,
    FromClause,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    literal_column,
)

from nobubble_api.store.columns import ExactDecimal, Instant
from nobubble_api.store.model import JOB_STATES, JobState

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

# A document is here before anything refers to it, and as long as anything does.
schedules = Table(
    "schedules",
    metadata,
    Column("content_hash", Text, primary_key=True),
    Column("compressed", LargeBinary, nullable=False),
)

# Answers to the same work, whenever it is asked for again. The figures are those of `Solved`.
results = Table(
    "results",
    metadata,
    Column("result_key", Text, primary_key=True),
    Column("created_at", Instant, nullable=False),
    Column("schedule", Text, ForeignKey("schedules.content_hash"), nullable=False),
    Column("method", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("stopped_by", Text, nullable=False),
    Column("cost", ExactDecimal, nullable=False),
    Column("lower_bound", ExactDecimal, nullable=False),
    Column("gap", Float, nullable=False),
    Column("seconds", Float, nullable=False),
    Index("ix_results_schedule", "schedule"),
    Index("ix_results_created_at", "created_at"),
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", Text, primary_key=True),
    Column("state", Text, nullable=False),
    Column("name", Text),
    Column("tags", JSON, nullable=False),
    Column("work", Text, nullable=False),
    Column("flight_key", Text, nullable=False),
    Column("result_key", Text, nullable=False),
    Column("idempotency_key", Text, unique=True),
    Column("created_at", Instant, nullable=False),
    Column("started_at", Instant),
    Column("finished_at", Instant),
    Column("attempts", Integer, nullable=False),
    Column("owner", Text),
    Column("heartbeat_at", Instant),
    Column("cancel_requested", Boolean, nullable=False),
    Column("method", Text),
    Column("status", Text),
    Column("stopped_by", Text),
    Column("cost", ExactDecimal),
    Column("lower_bound", ExactDecimal),
    Column("gap", Float),
    Column("seconds", Float),
    Column("schedule", Text, ForeignKey("schedules.content_hash")),
    Column("problem", JSON(none_as_null=True)),
    Column("last_event", Integer, nullable=False),
    CheckConstraint(
        "state IN ({})".format(", ".join(f"'{state}'" for state in JOB_STATES)), name="state"
    ),
    Index("ix_jobs_state_id", "state", "id"),
    Index("ix_jobs_finished_at", "finished_at"),
    Index("ix_jobs_schedule", "schedule"),
)


def in_state(table: FromClause, state: JobState) -> ColumnElement[bool]:
    """Give the condition that a job is in a state, which partial indexes can serve.

    They serve no query whose state is a parameter, so it is text here.
    """
    return table.c.state == literal_column(f"'{state}'")


RUNNING = in_state(jobs, "running")
QUEUED = in_state(jobs, "queued")

# What makes sure that two processes never run the same at once.
Index(
    "uq_jobs_running_flight_key",
    jobs.c.flight_key,
    unique=True,
    sqlite_where=RUNNING,
    postgresql_where=RUNNING,
)
Index("ix_jobs_running_owner", jobs.c.owner, sqlite_where=RUNNING, postgresql_where=RUNNING)
Index(
    "ix_jobs_queued_flight_key",
    jobs.c.flight_key,
    jobs.c.id,
    sqlite_where=QUEUED,
    postgresql_where=QUEUED,
)
Index("ix_jobs_queued_result_key", jobs.c.result_key, sqlite_where=QUEUED, postgresql_where=QUEUED)

# For finding jobs by tag; `jobs.tags` is what a job shows. Both are written once, at submission.
job_tags = Table(
    "job_tags",
    metadata,
    Column("job_id", Text, ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("tag", Text, primary_key=True),
    Index("ix_job_tags_tag", "tag", "job_id"),
)

events = Table(
    "events",
    metadata,
    Column("job_id", Text, ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("sequence", Integer, primary_key=True, autoincrement=False),
    Column("at", Instant, nullable=False),
    Column("kind", Text, nullable=False),
    Column("data", JSON, nullable=False),
)

# One row, written to see whether the database can be written.
checks = Table(
    "checks",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("checked_at", Instant, nullable=False),
)
