"""What the service answers with: the shapes for OpenAPI, and how jobs become them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from nobubble_api.store.model import Event, Job, JobState

Number = Annotated[float, Field(json_schema_extra={"type": "number"})]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="allow")


class Place(_Shape):
    """A place in the input that is wrong."""

    pointer: str = Field(description="JSON pointer into the body.")
    message: str = Field(description="What was given, and what is allowed.")


class Problem(_Shape):
    """An error, RFC 9457."""

    type: str = Field(examples=["/problems/infeasible"])
    title: str
    status: int
    detail: str
    errors: list[Place] | None = None


class JobProgress(_Shape):
    """The best schedule so far, in the profile's time unit."""

    method: str
    cost: Number
    lower_bound: Number
    gap: Number


class JobLinks(_Shape):
    """Where the rest of a job is."""

    self: str
    events: str
    schedule: str


class JobShape(_Shape):
    """A job."""

    id: str
    state: JobState
    name: str | None
    tags: list[str]
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    attempts: int
    options: dict[str, Any]
    progress: JobProgress | None
    status: str | None = Field(description="Of the schedule: optimal or feasible.")
    stopped_by: str | None
    seconds: Number | None
    schedule: str | None = Field(description="Content hash, see /v1/schedules/{hash}.")
    problem: Problem | None
    links: JobLinks


class ComparedRow(_Shape):
    """A schedule in a comparison."""

    family: str = Field(description="linear, interleaved-N (stages a rank), v, or as given.")
    method: str
    found_by: str
    backward: str = Field(description="split, fused or mixed.")
    cost: Number
    lower_bound: Number
    gap: Number
    makespan: Number
    rank_span: Number
    bubble_rate: Number
    transfers: int
    schedule: str = Field(description="Content hash, see /v1/schedules/{hash}.")


class LeftOut(_Shape):
    """What does not fit, or cannot be."""

    family: str
    method: str | None
    reason: str


class Compared(_Shape):
    """All that a model can run under, the best first."""

    recommended: int = Field(description="Which row to take.")
    reason: str
    rows: list[ComparedRow]
    left_out: list[LeftOut]


class Comparing(_Shape):
    """A comparison that goes on."""

    done: int
    of: int = Field(description="0 while layers are still being cut into stages.")
    jobs: list[str]


class JobPage(_Shape):
    """Jobs, newest first."""

    jobs: list[JobShape]
    next: str | None = Field(description="Give it as `after` for the next page.")


class Validated(_Shape):
    """What a profile would cost to solve."""

    valid: bool
    notes: list[str] = Field(description="How figures were rounded.")
    profile_sha256: str
    ranks: int
    stages: int
    microbatches: int
    ops: int
    is_stored: bool = Field(description="Whether the answer is stored already.")
    search_ops: int = Field(description="Ops that the local search times, some 20 million a s.")
    estimated_seconds: Number


class Bounds(_Shape):
    """Lower bounds: no schedule costs less."""

    profile: str | None
    profile_sha256: str
    objective: str
    time_unit: str
    lower_bound: Number
    bound: str
    bounds: dict[str, Number]


class Proven(_Shape):
    """What the verifier itself proves about the cost of a valid schedule."""

    lower_bound: Number
    bound: str
    optimal: bool
    as_claimed: bool


class Verdict(_Shape):
    """What the verifier found."""

    valid: bool
    findings: list[str]
    profile: str | None
    profile_sha256: str
    method: str
    status: str
    objective: str
    requires: list[str]
    time_unit: str
    cost: Number | None
    lower_bound: Number | None
    bound: str
    proven: Proven | None


class ReadyProfile(_Shape):
    """A ready profile."""

    name: str
    ranks: int
    stages: int
    microbatches: int
    link: str


class ReadyProfiles(_Shape):
    """The ready profiles."""

    profiles: list[ReadyProfile]


class Health(_Shape):
    """How the service is."""

    status: str
    checks: dict[str, str] | None = None


def job_document(job: Job) -> dict[str, Any]:
    """Give a job as clients see it."""
    at = f"/v1/jobs/{job.id}"
    work = job.work
    progress = None
    if job.cost is not None:
        progress = {
            "method": job.method,
            "cost": job.cost,
            "lower_bound": job.lower_bound,
            "gap": job.gap,
        }
    return {
        "id": job.id,
        "state": job.state,
        "name": job.name,
        "tags": list(job.tags),
        "created_at": spelled(job.created_at),
        "started_at": spelled(job.started_at),
        "finished_at": spelled(job.finished_at),
        "attempts": job.attempts,
        "options": {
            "method": work.method,
            "effort": work.effort,
            "seed": work.seed,
            "time_limit": work.time_limit,
            "objective": json.loads(work.profile)["objective"],
            "ignore_memory_limit": work.ignore_memory_limit,
        },
        "progress": progress,
        "status": job.status,
        "stopped_by": job.stopped_by,
        "seconds": job.seconds,
        "schedule": job.schedule,
        "problem": job.problem,
        "links": {"self": at, "events": f"{at}/events", "schedule": f"{at}/schedule"},
    }


def event_document(event: Event) -> dict[str, Any]:
    """Give an event as clients see it."""
    return {"at": spelled(event.at), **event.data}


def spelled(at: datetime | None) -> str | None:
    """Give a time as RFC 3339, in UTC."""
    return None if at is None else at.astimezone(UTC).isoformat().replace("+00:00", "Z")
