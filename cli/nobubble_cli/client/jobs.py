"""Jobs of a service: what they look like, and following one to its end."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias

from nobubble.errors import InputError, NobubbleError, NoScheduleError
from nobubble_cli.client.connection import (
    LONGEST_PAUSE,
    SHORTEST_PAUSE,
    Connection,
    json_object,
)
from nobubble_cli.client.failures import is_worth_repeating, parse_object
from nobubble_cli.client.problems import ServiceError, error_of, plain
from nobubble_cli.client.sse import ServerEvent, events

Job: TypeAlias = dict[str, Any]

STATES: Final = ("queued", "running", "done", "failed", "cancelled")
ENDED: Final = ("done", "failed", "cancelled")
_ID: Final = re.compile("[0-9a-f]{32}")


def job_path(job_id: str, of_it: str = "") -> str:
    """Give the path of a job, or of something of it.

    Raises
    ------
    InputError
        No job has such an id.
    """
    if not _ID.fullmatch(job_id):
        raise InputError(
            f"{job_id!r} is not the id of a job: those are 32 hexadecimal digits, as jobs submit "
            "and jobs list print them"
        )
    return f"/v1/jobs/{job_id}{of_it}"


def read_job(connection: Connection, data: object) -> Job:
    """See that it is a job that a service gave.

    Raises
    ------
    InputError
        It is not.
    """
    is_job = (
        isinstance(data, dict)
        and isinstance(data.get("id"), str)
        and _ID.fullmatch(data["id"]) is not None
        and data.get("state") in STATES
        and isinstance(data.get("problem"), dict | None)
        and isinstance(data.get("schedule"), str | None)
        and isinstance(data.get("progress"), dict | None)
    )
    if not (is_job and isinstance(data, dict)):
        raise connection.no_nobubble("something that is not a job")
    return data


def ask_job(connection: Connection, job_id: str) -> Job:
    """Ask how a job is."""
    return read_job(connection, json_object(connection, connection.ask("GET", job_path(job_id))))


def follow(connection: Connection, job: Job) -> Job:
    """Follow a job to its end, telling what happens.

    Should the service go away it is given some time to come back; where it has no stream left,
    the job is asked for from time to time.

    Returns
    -------
    Job
        Done, failed or cancelled.

    Raises
    ------
    NobubbleError
        The service does not come back, or has no such job any more.
    """
    last_id, pause = "", SHORTEST_PAUSE
    while job["state"] not in ENDED:
        reason = f"{connection.url} ended the stream"
        try:
            for event in _events(connection, job["id"], last_id):
                last_id, pause = event.id or last_id, SHORTEST_PAUSE
                data = _data(connection, event)
                if event.kind == "end":
                    return read_job(connection, data)
                connection.tell(plain(data.get("text") or data.get("state") or event.kind))
        except ServiceError as error:
            reason = str(error)
        connection.wait(pause, reason)
        pause = min(2 * pause, LONGEST_PAUSE)
        # Gives up by itself when the service does not come back.
        job = ask_job(connection, job["id"])
    return job


def outcome_error(connection: Connection, job: Job) -> NobubbleError | None:
    """Give the error that a job ended with; None where it has a schedule to show."""
    if job["state"] == "failed":
        problem = job["problem"] or {"detail": f"job {job['id']} failed, and no reason is given"}
        return error_of(problem, url=connection.url, source=connection.source)
    if job["schedule"] is None:
        return NoScheduleError(f"job {job['id']} was cancelled before it had a schedule")
    return None


@contextmanager
def leaving_it_running(connection: Connection, job_id: str, output: str | None) -> Iterator[None]:
    """On Ctrl+C, say that the job goes on, and how to come back to it.

    Raises
    ------
    KeyboardInterrupt
        With what to say.
    """
    try:
        yield
    except KeyboardInterrupt:
        at = f"--server {shlex.quote(connection.url)}"
        to = "" if output in (None, "-") else f" -o {shlex.quote(str(output))}"
        raise KeyboardInterrupt(
            f"interrupted; job {job_id} goes on\n"
            f"come back to it: nobubble jobs watch {job_id} {at}{to}\n"
            f"or end it:       nobubble jobs cancel {job_id} {at}"
        ) from None


def _events(connection: Connection, job_id: str, last_id: str) -> Iterator[ServerEvent]:
    """Give the events after one, until the stream ends; none where there is no stream to be had."""
    headers = {"Accept": "text/event-stream", **({"Last-Event-ID": last_id} if last_id else {})}
    with connection.stream(job_path(job_id, "/events"), headers) as response:
        if response.is_success:
            yield from events(response.iter_lines())
        elif is_worth_repeating(response):
            raise ServiceError(str(connection.failure(response)))
        else:
            raise connection.failure(response)


def _data(connection: Connection, event: ServerEvent) -> dict[str, Any]:
    data = parse_object(event.data)
    if data is None:
        raise connection.no_nobubble("an event that is no JSON object")
    return data
