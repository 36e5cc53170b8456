"""A solve by a service, whose answer is checked here before anybody uses it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from nobubble.errors import VerificationError
from nobubble.profile.document import profile_document
from nobubble.profile.model import Profile
from nobubble.schedule.writing import json_text
from nobubble_cli.messages import say
from nobubble_cli.remote.problems import ServerError, error_of
from nobubble_cli.remote.service import Service


def request_body(profile: Profile, options: Mapping[str, object], **more: object) -> str:
    """Write the body of a solve or a job, with exact decimals."""
    return json_text({"profile": profile_document(profile), "options": dict(options), **more})


def solve_remotely(
    service: Service,
    profile: Profile,
    options: Mapping[str, object],
    told: Callable[[str], None],
) -> str:
    """Have a service solve a profile, and give the schedule's text.

    An interrupt leaves a job that runs already as it is, and says how to come back to it.

    Raises
    ------
    NobubbleError
        As a solve here, or `ServerError`.
    """
    told("asking the server")
    answer = service.call("POST", "/v1/solve", request_body(profile, options))
    if answer.status_code == 202:
        job = json.loads(answer.content)
        ended = followed(service, job, told)
        if ended["state"] == "cancelled":
            say(f"note: job {job['id']} was cancelled; this is the best that it had found")
        answer = service.call("GET", ended["links"]["schedule"])
    return checked(answer.content, answer.headers.get("ETag", ""), profile, options)


def followed(
    service: Service, job: Mapping[str, Any], told: Callable[[str], None]
) -> dict[str, Any]:
    """Follow a job to its end, and give it; one without a schedule is an error.

    Raises
    ------
    NobubbleError
        Why there is no schedule.
    """
    try:
        ended = service.follow(job, told)
    except KeyboardInterrupt:
        told("")
        say(
            f"the job goes on; come back with: nobubble jobs watch {job['id']} "
            f"--server {service.url}"
        )
        raise
    if ended["schedule"] is None or ended["state"] == "failed":
        problem = ended["problem"] or {"detail": f"the job is {ended['state']}"}
        raise error_of(problem, "<profile>")
    return ended


def checked(content: bytes, tag: str, profile: Profile, options: Mapping[str, object]) -> str:
    """Give a schedule that came over the network, once it was verified here.

    Raises
    ------
    ServerError
        It did not arrive whole, or is no schedule of the profile.
    VerificationError
        It is wrong.
    """
    from dataclasses import replace

    from nobubble.errors import ScheduleError
    from nobubble.schedule.reading import parse_schedule
    from nobubble.verifier.verify import verify

    if tag.strip('"') != hashlib.sha256(content).hexdigest():
        raise ServerError("the schedule did not arrive as it was sent: its hash is another")
    try:
        document = parse_schedule(json.loads(content, parse_float=Decimal), "the server's answer")
    except (ValueError, ScheduleError) as error:
        raise ServerError(f"the server's answer is no schedule: {error}") from None
    if options.get("ignore_memory_limit"):
        profile = replace(profile, memory_limit=(None,) * profile.ranks)
    findings = verify(document, profile)
    if findings:
        raise VerificationError(["the server gave a schedule that is wrong:", *findings])
    return content.decode()
