"""Who may do what: bearer tokens with the roles `read` and `solve`."""

from __future__ import annotations

import hmac
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from nobubble.errors import InputError
from nobubble_api.problems import ProblemError
from nobubble_api.settings import Settings

Role = Literal["read", "solve"]

_BEARER = HTTPBearer(auto_error=False, description="A token of the operator's list.")


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens that are let in, with their roles; none: everyone may do everything."""

    roles: tuple[tuple[bytes, Role], ...]

    @classmethod
    def of(cls, settings: Settings) -> Tokens:
        """Read the tokens of the settings.

        Raises
        ------
        InputError
            A line is not a role and a token, or the file cannot be read.
        """
        lines: list[tuple[str, str]] = []
        if settings.tokens is not None:
            parts = settings.tokens.get_secret_value().split(",")
            lines += [(f"NOBUBBLE_TOKENS, entry {n}", part) for n, part in enumerate(parts, 1)]
        if settings.tokens_file is not None:
            try:
                text = settings.tokens_file.read_text("utf-8")
            except (OSError, UnicodeDecodeError) as error:
                reason = getattr(error, "strerror", None) or "is not UTF-8 text"
                raise InputError(
                    f"NOBUBBLE_TOKENS_FILE: {settings.tokens_file} cannot be read: {reason.lower()}"
                ) from None
            lines += [
                (f"{settings.tokens_file}, line {n}", line)
                for n, line in enumerate(text.splitlines(), 1)
            ]
        roles = [_entry(where, line) for where, line in lines if _is_meant(line)]
        if settings.has_tokens() and not roles:
            raise InputError(
                "there is no token in NOBUBBLE_TOKENS or NOBUBBLE_TOKENS_FILE; write 'solve TOKEN' "
                "or 'read TOKEN' for every client"
            )
        return cls(tuple(roles))

    def role_of(self, token: str) -> Role | None:
        """Give the role of a token, None for one that is not known; takes the same time always."""
        given, role = token.encode(), None
        for known, its_role in self.roles:
            if hmac.compare_digest(known, given):
                role = its_role
        return role


def _is_meant(line: str) -> bool:
    return bool(line.strip()) and not line.strip().startswith("#")


def _entry(where: str, line: str) -> tuple[bytes, Role]:
    """Read a line; what it says is secret and not shown."""
    words = line.split()
    if len(words) == 2 and words[0] in ("read", "solve"):
        role: Role = "read" if words[0] == "read" else "solve"
        return words[1].encode(), role
    raise InputError(f"{where} is not a role and a token; write 'solve TOKEN' or 'read TOKEN'")


def _allow(request: Request, given: HTTPAuthorizationCredentials | None, needed: Role) -> None:
    tokens: Tokens = request.app.state.tokens
    if not tokens.roles:
        return
    role = None if given is None else tokens.role_of(given.credentials)
    if role is None:
        what = "no token was given" if given is None else "the token is not known"
        raise ProblemError(
            "unauthorized", f"{what}; send Authorization: Bearer TOKEN", challenge=True
        )
    if needed == "solve" and role != "solve":
        raise ProblemError("forbidden", "this token may read only; use one with the role solve")


_Given = Annotated[HTTPAuthorizationCredentials | None, Security(_BEARER)]


async def _reading(request: Request, given: _Given) -> None:
    _allow(request, given, "read")


async def _solving(request: Request, given: _Given) -> None:
    _allow(request, given, "solve")


MAY_READ = Depends(_reading)
MAY_SOLVE = Depends(_solving)
