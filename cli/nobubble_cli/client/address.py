"""Where the service is, and the token for it: ``--server`` and ``--token``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import typer

from nobubble.errors import InputError


@dataclass(frozen=True, slots=True)
class Address:
    """A service.

    Attributes
    ----------
    url : str
        Without a slash at its end; it may have a path, where the service is behind a proxy.
    token : str or None
    """

    url: str
    token: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, url: str, token: str | None) -> Address:
        """Check what was given.

        Raises
        ------
        InputError
            It is not the address of a service, or the token cannot be sent. The token is secret
            and not shown.
        """
        _check_url(url)
        if token and not re.fullmatch("[\x21-\x7e]+", token):
            raise InputError(
                "--token: it has a character that cannot be sent: a space, a line break or a "
                "letter beyond ASCII; take it over as the operator gave it"
            )
        return cls(url.rstrip("/"), token or None)

    @classmethod
    def if_given(cls, url: str | None, token: str | None) -> Address | None:
        """Give the service, None where the user wants this machine to solve.

        Raises
        ------
        InputError
        """
        return cls.of(url, token) if url else None

    @classmethod
    def required(cls, url: str | None, token: str | None) -> Address:
        """Give the service, for a command that cannot do without.

        Raises
        ------
        InputError
        """
        if not url:
            raise InputError(
                "which service? give its address with --server, or set NOBUBBLE_SERVER, such as "
                "http://127.0.0.1:8000"
            )
        return cls.of(url, token)


def server_option(command: str, help: str) -> typer.models.OptionInfo:
    """Give ``--server`` of a command; one variable sets it for all of them."""
    option: typer.models.OptionInfo = typer.Option(
        "--server",
        metavar="URL",
        envvar=[f"NOBUBBLE_{command}_SERVER", "NOBUBBLE_SERVER"],
        help=help,
    )
    return option


def token_option(command: str) -> typer.models.OptionInfo:
    """Give ``--token`` of a command."""
    option: typer.models.OptionInfo = typer.Option(
        "--token",
        metavar="TOKEN",
        envvar=[f"NOBUBBLE_{command}_TOKEN", "NOBUBBLE_TOKEN"],
        help="The service's token for you; in the environment other users cannot see it.",
    )
    return option


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_good = False
    if not is_good or re.search("[\x00-\x20\x7f]", url):
        raise InputError(
            f"--server: {url!r} is not the address of a service; give it such as "
            "http://127.0.0.1:8000 or https://nobubble.example.com"
        )
    if parts.username is not None or parts.password is not None:
        raise InputError("--server: leave user and password out of the address; give a --token")
    if parts.query or parts.fragment:
        raise InputError(f"--server: {url!r} is more than an address; leave out ? and #")
