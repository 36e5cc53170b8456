"""``nobubble jobs``: long solves on a service, submitted and come back to."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from nobubble_cli.choices import one_of
from nobubble_cli.client.address import Address, server_option, token_option
from nobubble_cli.client.connection import Connection, json_object
from nobubble_cli.client.job_table import job_table
from nobubble_cli.client.jobs import (
    STATES,
    ask_job,
    follow,
    job_path,
    leaving_it_running,
    outcome_error,
    read_job,
)
from nobubble_cli.messages import say
from nobubble_cli.output import check_output, write_output, write_stdout
from nobubble_cli.overrides import (
    MemoryLimitOption,
    MicrobatchesOption,
    ObjectiveOption,
    PlacementOption,
    ProfilePath,
    overrides,
    read_profile_with,
)
from nobubble_cli.progress import Progress
from nobubble_cli.solve_options import (
    EffortOption,
    IgnoreMemoryLimitOption,
    MethodOption,
    SeedOption,
    SolveOptions,
    TimeLimitOption,
)
from nobubble_cli.summary import summary

FORMATS = ("auto", "table", "json")
_PAGE = 200
_LONGEST_NAME = 200

JobId = Annotated[str, typer.Argument(metavar="JOB", help="The job's id.")]

jobs = typer.Typer(
    name="jobs",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Have a service solve in the background, and come back for the schedule.",
)


def _server(command: str) -> typer.models.OptionInfo:
    return server_option(f"JOBS_{command}", "The address of the service.")


def _token(command: str) -> typer.models.OptionInfo:
    return token_option(f"JOBS_{command}")


@jobs.command()
def submit(
    profile: ProfilePath,
    method: MethodOption = "auto",
    effort: EffortOption = "normal",
    seed: SeedOption = 0,
    time_limit: TimeLimitOption = None,
    objective: ObjectiveOption = None,
    microbatches: MicrobatchesOption = None,
    memory_limit: MemoryLimitOption = None,
    placement: PlacementOption = None,
    ignore_memory_limit: IgnoreMemoryLimitOption = False,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="TEXT", help="The job's name; default: the profile's."),
    ] = None,
    tag: Annotated[
        list[str] | None,
        typer.Option(
            "--tag", metavar="TEXT", help="To find it by in lists. Can be given several times."
        ),
    ] = None,
    idempotency_key: Annotated[
        str | None,
        typer.Option(
            "--idempotency-key",
            metavar="KEY",
            help="The same key and profile give the same job, however often they are submitted.",
        ),
    ] = None,
    server: Annotated[str | None, _server("SUBMIT")] = None,
    token: Annotated[str | None, _token("SUBMIT")] = None,
) -> None:
    """Submit a profile, and print the job as JSON.

    \b
    Example:
      nobubble jobs submit profile.json --effort max --server http://127.0.0.1:8000
    """  # noqa: D301
    options = SolveOptions.of(method, effort, seed, time_limit, ignore_memory_limit)
    keys = overrides(objective, microbatches, memory_limit, placement)
    address = Address.required(server, token)
    read = read_profile_with(profile, keys)

    from nobubble_cli.client.solving import solve_body

    called = name if name is not None else (read.name or "")[:_LONGEST_NAME] or None
    body = solve_body(read, options, name=called, tags=tag or [])
    # With a key of its own, a request that is sent again after a broken connection is one job.
    key = idempotency_key or secrets.token_hex(16)
    with Progress() as progress, Connection(address, progress, source=profile) as connection:
        answer = connection.ask("POST", "/v1/jobs", body=body, headers={"Idempotency-Key": key})
        job = read_job(connection, json_object(connection, answer))
    _print(job)


@jobs.command("list")
def list_jobs(
    state: Annotated[
        str | None, typer.Option("--state", metavar="|".join(STATES), help="Only these.")
    ] = None,
    tag: Annotated[
        str | None, typer.Option("--tag", metavar="TEXT", help="Only those with this tag.")
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", metavar="N", min=1, help="How many to list at most.")
    ] = 50,
    after: Annotated[
        str | None,
        typer.Option("--after", metavar="CURSOR", help="Go on after this: the next of a list."),
    ] = None,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="|".join(FORMATS),
            help="auto: a table on a terminal, JSON elsewhere.",
        ),
    ] = "auto",
    server: Annotated[str | None, _server("LIST")] = None,
    token: Annotated[str | None, _token("LIST")] = None,
) -> None:
    """List jobs, the newest first.

    \b
    Example:
      nobubble jobs list --state running --server http://127.0.0.1:8000
    """  # noqa: D301
    one_of(format, FORMATS, "--format")
    query: dict[str, str] = {}
    if state is not None:
        query["state"] = one_of(state, STATES, "--state")
    if tag is not None:
        query["tag"] = tag
    address = Address.required(server, token)
    found: list[dict[str, Any]] = []
    with Progress() as progress, Connection(address, progress) as connection:
        while True:
            asked = {**query, "limit": str(min(limit - len(found), _PAGE))}
            if after is not None:
                asked["after"] = after
            page = json_object(connection, connection.ask("GET", "/v1/jobs", query=asked))
            entries, after = page.get("jobs"), page.get("next")
            if not isinstance(entries, list) or not isinstance(after, str | None):
                raise connection.no_nobubble("something that is no list of jobs")
            found += [read_job(connection, entry) for entry in entries]
            if not entries or after is None or len(found) >= limit:
                break
    if format == "table" or (format == "auto" and sys.stdout is not None and sys.stdout.isatty()):
        write_stdout("".join(f"{line}\n" for line in job_table(found)))
        if after is not None:
            say("there are more: raise --limit")
    else:
        _print({"jobs": found, "next": after})


@jobs.command()
def show(
    job: JobId,
    server: Annotated[str | None, _server("SHOW")] = None,
    token: Annotated[str | None, _token("SHOW")] = None,
) -> None:
    """Print a job as JSON.

    \b
    Example:
      nobubble jobs show 0123456789abcdef0123456789abcdef --server http://127.0.0.1:8000
    """  # noqa: D301
    job_path(job)
    address = Address.required(server, token)
    with Progress() as progress, Connection(address, progress) as connection:
        found = ask_job(connection, job)
    _print(found)


@jobs.command()
def watch(
    job: JobId,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Where to write the schedule at the end, - for stdout; default: nowhere.",
        ),
    ] = None,
    server: Annotated[str | None, _server("WATCH")] = None,
    token: Annotated[str | None, _token("WATCH")] = None,
) -> None:
    """Follow a job to its end; the exit code is that of a local solve.

    Ctrl+C ends the watching, not the job. Without -o, the job is printed as JSON at its end.

    \b
    Example:
      nobubble jobs watch 0123456789abcdef0123456789abcdef -o schedule.json
    """  # noqa: D301
    job_path(job)
    address = Address.required(server, token)
    if output is not None:
        check_output(output)

    from nobubble_cli.client.receiving import received

    answer = None
    with Progress() as progress, Connection(address, progress) as connection:
        with leaving_it_running(connection, job, output):
            found = follow(connection, ask_job(connection, job))
        error = outcome_error(connection, found)
        if error is None and output is not None:
            answer = received(
                connection.ask("GET", job_path(job, "/schedule")),
                connection.url,
                expected=found["schedule"],
            )
    if output is None:
        _print(found)
    if error is not None:
        raise error
    if found["state"] == "cancelled":
        say("note: the job was cancelled; its schedule is the best that it had found")
    if output is not None and answer is not None:
        write_output(output, answer.text)
        if output != "-":
            for line in summary(answer.document, written_to=output):
                say(line)


@jobs.command()
def cancel(
    job: JobId,
    server: Annotated[str | None, _server("CANCEL")] = None,
    token: Annotated[str | None, _token("CANCEL")] = None,
) -> None:
    """Cancel a job, and print it as JSON; the best found stays.

    A job that has ended stays as it is; one that runs ends within some seconds.

    \b
    Example:
      nobubble jobs cancel 0123456789abcdef0123456789abcdef --server http://127.0.0.1:8000
    """  # noqa: D301
    path = job_path(job)
    address = Address.required(server, token)
    with Progress() as progress, Connection(address, progress) as connection:
        found = read_job(connection, json_object(connection, connection.ask("DELETE", path)))
    _print(found)


def _print(document: Mapping[str, Any]) -> None:
    from nobubble.schedule.writing import json_text

    write_stdout(json_text(document))
