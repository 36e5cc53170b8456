"""Where a schedule comes from: a file, the service, or a dictionary."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from nobubble_torch.errors import SourceError

_SECONDS: Final = 30
_HASH: Final = re.compile(r"/v1/schedules/([0-9a-f]{64})(?:\.json)?$")
"""The service names a schedule by the SHA-256 of its bytes."""


def read_source(
    source: str | os.PathLike[str] | Mapping[str, Any], token: str | None = None
) -> tuple[str, object]:
    """Read a schedule document, not yet checked.

    Parameters
    ----------
    source : str, path or mapping
        A JSON file; an address that begins with ``http://`` or ``https://``, such as
        ``https://host/v1/schedules/HASH`` of the service; or the document itself.
    token : str, optional
        What the service asks for, where it does.

    Returns
    -------
    (str, object)
        What messages call it, and what was read.

    Raises
    ------
    SourceError
        There is nothing, it is no JSON, or it is not what the address names.
    """
    if isinstance(source, Mapping):
        return "the schedule given", source
    name = os.fspath(source)
    raw = _fetched(name, token) if re.match(r"https?://", name) else _from_file(name)
    try:
        return name, json.loads(raw)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise SourceError(f"{name} is not JSON: {error}") from None


def _from_file(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise SourceError(
            f"{name} cannot be read: {reason}; give a file that `nobubble solve -o` wrote and that "
            "this rank can see"
        ) from None


def _fetched(address: str, token: str | None) -> bytes:
    headers = {"Accept": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    try:
        with urlopen(Request(address, headers=headers), timeout=_SECONDS) as response:
            raw: bytes = response.read()
    except HTTPError as error:
        hint = "; give the service's token as token=" if error.code in (401, 403) else ""
        raise SourceError(f"{address} answered {error.code} {error.reason}{hint}") from None
    except (URLError, OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        raise SourceError(f"{address} cannot be reached: {reason}") from None
    named = _HASH.search(address)
    if named and hashlib.sha256(raw).hexdigest() != named[1]:
        raise SourceError(
            f"{address} gave other bytes than its hash says: something on the way changed them"
        )
    return raw
