"""Jobs, their events and tags, schedules, results."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from nobubble_api.store.columns import ExactDecimal, Instant

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "checks",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("checked_at", Instant(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_checks"),
    )
    op.create_table(
        "schedules",
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("compressed", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("content_hash", name="pk_schedules"),
    )
    _create_results()
    _create_jobs()
    op.create_table(
        "job_tags",
        sa.Column("job_id", sa.Text(), nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name="fk_job_tags_job_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("job_id", "tag", name="pk_job_tags"),
    )
    op.create_index("ix_job_tags_tag", "job_tags", ["tag", "job_id"])
    op.create_table(
        "events",
        sa.Column("job_id", sa.Text(), nullable=False),
        sa.Column("sequence", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", Instant(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["job_id"], ["jobs.id"], name="fk_events_job_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("job_id", "sequence", name="pk_events"),
    )


def _create_results() -> None:
    op.create_table(
        "results",
        sa.Column("result_key", sa.Text(), nullable=False),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("schedule", sa.Text(), nullable=False),
        sa.Column("method", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("stopped_by", sa.Text(), nullable=False),
        sa.Column("cost", ExactDecimal(), nullable=False),
        sa.Column("lower_bound", ExactDecimal(), nullable=False),
        sa.Column("gap", sa.Float(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(
            ["schedule"], ["schedules.content_hash"], name="fk_results_schedule"
        ),
        sa.PrimaryKeyConstraint("result_key", name="pk_results"),
    )
    op.create_index("ix_results_created_at", "results", ["created_at"])
    op.create_index("ix_results_schedule", "results", ["schedule"])


def _create_jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("name", sa.Text()),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("work", sa.Text(), nullable=False),
        sa.Column("flight_key", sa.Text(), nullable=False),
        sa.Column("result_key", sa.Text(), nullable=False),
        sa.Column("idempotency_key", sa.Text()),
        sa.Column("created_at", Instant(), nullable=False),
        sa.Column("started_at", Instant()),
        sa.Column("finished_at", Instant()),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text()),
        sa.Column("heartbeat_at", Instant()),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("method", sa.Text()),
        sa.Column("status", sa.Text()),
        sa.Column("stopped_by", sa.Text()),
        sa.Column("cost", ExactDecimal()),
        sa.Column("lower_bound", ExactDecimal()),
        sa.Column("gap", sa.Float()),
        sa.Column("seconds", sa.Float()),
        sa.Column("schedule", sa.Text()),
        sa.Column("problem", sa.JSON()),
        sa.Column("last_event", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "state IN ('queued', 'running', 'done', 'failed', 'cancelled')",
            name=op.f("ck_jobs_state"),  # as it is: else the convention would lengthen it
        ),
        sa.ForeignKeyConstraint(["schedule"], ["schedules.content_hash"], name="fk_jobs_schedule"),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sa.UniqueConstraint("idempotency_key", name="uq_jobs_idempotency_key"),
    )
    op.create_index("ix_jobs_finished_at", "jobs", ["finished_at"])
    op.create_index("ix_jobs_schedule", "jobs", ["schedule"])
    op.create_index("ix_jobs_state_id", "jobs", ["state", "id"])
    running = sa.text("state = 'running'")
    queued = sa.text("state = 'queued'")
    for name, columns, condition, unique in (
        ("uq_jobs_running_flight_key", ["flight_key"], running, True),
        ("ix_jobs_running_owner", ["owner"], running, False),
        ("ix_jobs_queued_flight_key", ["flight_key", "id"], queued, False),
        ("ix_jobs_queued_result_key", ["result_key"], queued, False),
    ):
        op.create_index(
            name,
            "jobs",
            columns,
            unique=unique,
            sqlite_where=condition,
            postgresql_where=condition,
        )


def downgrade() -> None:
    """Drop the tables, with all that is in them."""
    for table in ("events", "job_tags", "jobs", "results", "schedules", "checks"):
        op.drop_table(table)
