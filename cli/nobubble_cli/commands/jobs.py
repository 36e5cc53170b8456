"""``nobubble jobs``: solves on a service that one comes back for."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from nobubble.methods import EFFORTS, METHODS
from nobubble_cli.choices import one_of
from nobubble_cli.ending import Commands
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
from nobubble_cli.remote.options import JobsServerOption, JobsTokenOption

jobs = typer.Typer(
    name="jobs",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Submit, list, show, watch and cancel jobs of a nobubble service.",
)

JobId = Annotated[str, typer.Argument(metavar="JOB", help="The job's id.")]


def _print(document: dict[str, Any]) -> None:
    from nobubble.schedule.writing import json_text

    write_stdout(json_text(document))


@jobs.command()
def submit(
    profile: ProfilePath,
    server: JobsServerOption,
    token: JobsTokenOption = None,
    method: Annotated[str, typer.Option("--method", metavar="|".join(METHODS))] = "auto",
    effort: Annotated[str, typer.Option("--effort", metavar="|".join(EFFORTS))] = "normal",
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, max=2**32 - 1)] = 0,
    time_limit: Annotated[float | None, typer.Option("--time-limit", metavar="SECONDS")] = None,
    objective: ObjectiveOption = None,
    microbatches: MicrobatchesOption = None,
    memory_limit: MemoryLimitOption = None,
    placement: PlacementOption = None,
    name: Annotated[str | None, typer.Option("--name", help="For people.")] = None,
    tag: Annotated[list[str] | None, typer.Option("--tag", help="May be given again.")] = None,
    key: Annotated[
        str | None,
        typer.Option("--idempotency-key", metavar="KEY", help="The same key makes one job."),
    ] = None,
) -> None:
    """Submit a profile to be solved, and print the job.

    \b
    Example:
      nobubble jobs submit profile.json --server http://planner:8000 --tag nightly
    """  # noqa: D301
    one_of(method, METHODS, "--method")
    one_of(effort, EFFORTS, "--effort")
    read = read_profile_with(profile, overrides(objective, microbatches, memory_limit, placement))

    from nobubble_cli.remote.service import Service
    from nobubble_cli.remote.solving import request_body

    options = {"method": method, "effort": effort, "seed": seed, "time_limit": time_limit}
    more = {"tags": list(tag or []), **({} if name is None else {"name": name})}
    headers = {} if key is None else {"Idempotency-Key": key}
    body = request_body(read, options, **more)
    _print(Service(server, token, profile).json("POST", "/v1/jobs", body, **headers))


@jobs.command(name="list")
def list_jobs(
    server: JobsServerOption,
    token: JobsTokenOption = None,
    state: Annotated[
        str | None,
        typer.Option("--state", metavar="queued|running|done|failed|cancelled", help="Only these."),
    ] = None,
    tag: Annotated[str | None, typer.Option("--tag", help="Only those with this tag.")] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=200, help="How many.")] = 50,
) -> None:
    """Print the newest jobs as JSON.

    \b
    Example:
      nobubble jobs list --server http://planner:8000 --state running
    """  # noqa: D301
    from urllib.parse import urlencode

    from nobubble_cli.remote.service import Service

    query = {"state": state, "tag": tag, "limit": limit}
    text = urlencode({key: value for key, value in query.items() if value is not None})
    _print(Service(server, token).json("GET", f"/v1/jobs?{text}"))


@jobs.command()
def show(job: JobId, server: JobsServerOption, token: JobsTokenOption = None) -> None:
    """Print a job as JSON.

    \b
    Example:
      nobubble jobs show 01a230afeb64754db1793fa4619091a2 --server http://planner:8000
    """  # noqa: D301
    from nobubble_cli.remote.service import Service

    _print(Service(server, token).json("GET", _at(job)))


@jobs.command()
def watch(
    job: JobId,
    server: JobsServerOption,
    token: JobsTokenOption = None,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FILE", help="Where to write the schedule."),
    ] = None,
) -> None:
    """Follow a job to its end; Ctrl+C leaves it running.

    \b
    Example:
      nobubble jobs watch 01a230afeb64754db1793fa4619091a2 --server http://planner:8000
    """  # noqa: D301
    if output is not None:
        check_output(output)

    from nobubble_cli.remote.service import Service
    from nobubble_cli.remote.solving import followed

    service = Service(server, token)
    with Progress() as progress:
        ended = followed(service, service.json("GET", _at(job)), progress)
    if output is None:
        _print(ended)
        return
    _write_schedule(service, ended, output)


@jobs.command()
def cancel(job: JobId, server: JobsServerOption, token: JobsTokenOption = None) -> None:
    """Cancel a job; the best schedule that it found stays.

    \b
    Example:
      nobubble jobs cancel 01a230afeb64754db1793fa4619091a2 --server http://planner:8000
    """  # noqa: D301
    from nobubble_cli.remote.service import Service

    _print(Service(server, token).json("DELETE", _at(job)))


def _at(job: str) -> str:
    from urllib.parse import quote

    return f"/v1/jobs/{quote(job, safe='')}"


def _write_schedule(service: Any, ended: dict[str, Any], output: str) -> None:
    """Write a job's schedule, once it was verified against the profile that it carries."""
    import json
    from decimal import Decimal

    from nobubble.profile.reading import parse_profile
    from nobubble_cli.remote.solving import checked

    answer = service.call("GET", ended["links"]["schedule"])
    document = json.loads(answer.content, parse_float=Decimal)
    text = checked(answer.content, answer.headers["ETag"], parse_profile(document["profile"]), {})
    write_output(output, text)
    if output != "-":
        say(f"written to {output}")
