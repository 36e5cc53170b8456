"""Schedules from a service: never taken on trust."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Final

from nobubble._version import __version__
from nobubble.errors import ScheduleError, VerificationError
from nobubble_cli.messages import say
from nobubble_cli.solve_options import Answer, SolveOptions

if TYPE_CHECKING:
    import httpx

    from nobubble.profile.model import Profile
    from nobubble.schedule.document import ScheduleDocument

# Proxies that compress mark the tag: as weak, or by a suffix.
_TAG: Final = re.compile(r'(?:W/)?"([0-9a-f]{64})(?:-\w+)?"')


def received(response: httpx.Response, url: str, *, expected: str | None = None) -> Answer:
    """Take a schedule out of an answer.

    Parameters
    ----------
    response : httpx.Response
    url : str
        The service.
    expected : str, optional
        The hash that it should have.

    Returns
    -------
    Answer
        Its bytes are those of which the service says the hash, and it passes the verifier.

    Raises
    ------
    VerificationError
    """
    from nobubble.schedule.reading import schedule_of_text
    from nobubble.verifier.verify import verify

    tag = _TAG.fullmatch(response.headers.get("etag", ""))
    if tag is None:
        raise VerificationError(
            [f"{url} gave a schedule without its hash (ETag); a proxy may have taken it away"]
        )
    found = hashlib.sha256(response.content).hexdigest()
    says = tag[1] if expected is None else expected
    if not found == tag[1] == says:
        raise VerificationError(
            [
                f"{url} gave a schedule that was changed on its way: its SHA-256 is {found}, not "
                f"{says} as the service says"
            ]
        )
    try:
        text = response.content.decode("utf-8")
        document = schedule_of_text(text, url)
    except UnicodeDecodeError:
        raise VerificationError([f"{url} gave a schedule that is not UTF-8 text"]) from None
    except ScheduleError as error:
        raise VerificationError(str(error).splitlines()) from None
    findings = verify(document)
    if findings:
        raise VerificationError([f"{url} gave a schedule that is wrong:", *findings])
    return Answer(document, text)


def check_is_asked_for(
    document: ScheduleDocument, profile: Profile, options: SolveOptions, url: str
) -> None:
    """See that a schedule is of the profile that was sent, and made as was asked.

    Raises
    ------
    VerificationError
    """
    from nobubble.profile.reading import parse_profile

    if parse_profile(document["profile"]) != options.profile_solved(profile):
        raise VerificationError([f"{url} gave a schedule of another profile than was sent"])
    generator = document["generator"]
    if generator["options"] != options.recorded():
        raise VerificationError(
            [
                f"{url} gave a schedule made with {_shown(generator['options'])}, not "
                f"{_shown(options.recorded())}"
            ]
        )
    if generator["version"] != __version__:
        say(
            f"note: made by nobubble {generator['version']}, here is {__version__}: the bytes may "
            "differ from those of a local run"
        )


def _shown(options: dict[str, object]) -> str:
    return ", ".join(f"{key} {value}" for key, value in options.items()) or "no options"
