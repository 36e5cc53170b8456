"""A profile to a service, and its schedule back."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from nobubble_cli.client.address import Address
from nobubble_cli.client.connection import Connection, json_object
from nobubble_cli.client.jobs import (
    follow,
    job_path,
    leaving_it_running,
    outcome_error,
    read_job,
)
from nobubble_cli.client.problems import SlowAnswerError
from nobubble_cli.client.receiving import check_is_asked_for, received
from nobubble_cli.messages import say
from nobubble_cli.progress import Progress
from nobubble_cli.solve_options import Answer, SolveOptions

if TYPE_CHECKING:
    from nobubble.profile.model import Profile


def solve_body(profile: Profile, options: SolveOptions, **more: Any) -> str:
    """Write what a service wants to know: the profile complete, its decimals exact."""
    from nobubble.profile.document import profile_document
    from nobubble.schedule.writing import json_text

    asked = {
        "method": options.method,
        "effort": options.effort,
        "seed": options.seed,
        "time_limit": options.time_limit,
        "ignore_memory_limit": options.ignore_memory_limit,
    }
    return json_text({"profile": profile_document(profile), "options": asked, **more})


def solve_at(
    address: Address,
    profile: Profile,
    options: SolveOptions,
    progress: Progress,
    *,
    source: str,
    output: str | None = None,
) -> Answer:
    """Have a service solve.

    Parameters
    ----------
    address : Address
    profile : Profile
    options : SolveOptions
    progress : Progress
    source : str
        What messages call the profile.
    output : str, optional
        Where the user wants the schedule.

    Returns
    -------
    Answer
        The same bytes as `solve_here` gives with the same version, checked.

    Raises
    ------
    NobubbleError
        What a local run raises, and `ServiceError` where there is no answer.
    """
    body = solve_body(profile, options)
    # Who watches wants to see progress, and to know the job when pressing Ctrl+C; a launcher is
    # served best by one request.
    is_watched = sys.stderr is not None and sys.stderr.isatty()
    at_once = {"Prefer": "respond-async"}
    with Connection(address, progress, source=source) as connection:
        try:
            response = connection.ask(
                "POST", "/v1/solve", body=body, headers=at_once if is_watched else {}
            )
        except SlowAnswerError:
            # The service works on it all the same, and gives the job that does.
            response = connection.ask("POST", "/v1/solve", body=body, headers=at_once)
        if response.status_code == 202:
            job = read_job(connection, json_object(connection, response))
            with leaving_it_running(connection, job["id"], output):
                job = follow(connection, job)
                error = outcome_error(connection, job)
                if error is not None:
                    raise error
                response = connection.ask("GET", job_path(job["id"], "/schedule"))
        answer = received(response, connection.url)
    progress("")  # notes have a line of their own
    check_is_asked_for(answer.document, profile, options, address.url)
    if answer.document["stopped_by"] == "stopped":
        say("note: the job was cancelled; this is the best that it had found")
    return answer
