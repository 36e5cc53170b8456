"""What the store refuses, and what it cannot do.

::

    NobubbleError
    ├── StoreError                the database is unreachable, full, busy or damaged
    ├── UnknownJobError           no such job
    ├── QueueFullError            as many jobs wait as may wait
    └── IdempotencyConflictError  an idempotency key came back with other work
"""

from __future__ import annotations

from nobubble.errors import NobubbleError


class StoreError(NobubbleError):
    """The database cannot do what was asked now; what was acknowledged before is not touched."""


class UnknownJobError(NobubbleError):
    """There is no job of this id, or no longer."""

    def __init__(self, job_id: str) -> None:
        self.job_id = job_id
        super().__init__(
            f"there is no job {job_id!r}: it was never submitted here, or ended so long ago that "
            "it is no longer kept"
        )


class QueueFullError(NobubbleError):
    """As many jobs are queued as the operator allows."""

    def __init__(self, queued: int, most: int) -> None:
        self.queued = queued
        self.most = most
        super().__init__(
            f"{queued} jobs are queued, and at most {most} may be: try again when some have ended"
        )


class IdempotencyConflictError(NobubbleError):
    """An idempotency key was used before, for something else."""

    def __init__(self, key: str, job_id: str) -> None:
        self.key = key
        self.job_id = job_id
        super().__init__(
            f"the idempotency key {key!r} belongs to job {job_id}, which asks for something else: "
            "use a new key for a new request"
        )
