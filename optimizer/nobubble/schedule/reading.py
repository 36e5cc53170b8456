"""Reading schedule documents: from a file, from stdin, or from values that are parsed already."""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, cast

from nobubble.errors import Fault, ProfileError, ScheduleError
from nobubble.profile.reading import parse_profile
from nobubble.profile.wording import shown
from nobubble.schedule.document import SCHEMA, ScheduleDocument
from nobubble.text_source import name_of, text_of

MOST_FAULTS = 20
"""How many faults are told at once."""


def read_schedule(source: str | Path) -> ScheduleDocument:
    """Read a `nobubble.schedule/1`.

    Parameters
    ----------
    source : str or Path
        A JSON file; ``-`` is stdin.

    Returns
    -------
    ScheduleDocument
        Of the right shape, with a valid profile in it; fractions are Decimal. Whether the
        schedule is one, `nobubble.verifier` says.

    Raises
    ------
    ScheduleError
        The file cannot be read, or is not a schedule document. Lists what was found.
    """
    return schedule_of_text(text_of(source, ScheduleError), name_of(source))


def schedule_of_text(text: str, source: str = "<schedule>") -> ScheduleDocument:
    """Read a `nobubble.schedule/1` from its JSON text, as `read_schedule` does from a file.

    Raises
    ------
    ScheduleError
        It is not a schedule document. Lists what was found.
    """
    return parse_schedule(_json(text, source), source)


def parse_schedule(data: object, source: str = "<schedule>") -> ScheduleDocument:
    """Check the shape of a schedule document that is parsed already, and the profile in it.

    Parameters
    ----------
    data : object
        A dictionary, as json gives it. Numbers are int, float or Decimal.
    source : str
        What messages call it.

    Returns
    -------
    ScheduleDocument
        `data` itself.

    Raises
    ------
    ScheduleError
        It is not a schedule document. Lists what was found.
    """
    if not isinstance(data, dict):
        problem = f"is not an object but {shown(data)}; a schedule is an object with a schema"
        raise ScheduleError(source, [Fault("", problem)])
    if data.get("schema") != SCHEMA:
        raise ScheduleError(source, [Fault("/schema", _wrong_schema(data))])
    # Pydantic is imported where a document is read, not where a command starts.
    from nobubble.schedule.structure import find_faults

    faults = find_faults(data, MOST_FAULTS + 1)
    if isinstance(data.get("profile"), dict):
        try:
            parse_profile(data["profile"])
        except ProfileError as error:
            faults += [Fault(f"/profile{fault.pointer}", fault.message) for fault in error.faults]
    if len(faults) > MOST_FAULTS:
        faults = [*faults[:MOST_FAULTS], Fault("", "and more faults")]
    if faults:
        raise ScheduleError(source, faults)
    return cast(ScheduleDocument, data)


def _wrong_schema(data: dict[str, object]) -> str:
    """Say what the schema is instead."""
    if "schema" not in data:
        return f'is missing; a schedule has "schema": "{SCHEMA}"'
    schema = data["schema"]
    given = shown(schema)
    if isinstance(schema, str) and schema.startswith("nobubble.schedule/"):
        return f'{given} is a version that this nobubble does not read; it reads "{SCHEMA}"'
    if isinstance(schema, str) and schema.startswith("nobubble.profile/"):
        return f'{given} is a profile; a schedule has "schema": "{SCHEMA}", and solve makes one'
    return f'{given} is not the schema of a schedule; it is "{SCHEMA}"'


class _JsonError(ValueError):
    """Something that Python's reader lets pass, and that is not exact or no JSON."""


def _json(text: str, name: str) -> object:
    """Read JSON with exact decimals, refusing NaN and keys that stand twice."""
    if not text.strip():
        raise ScheduleError(name, [Fault("", "is empty; a schedule is an object with a schema")])
    try:
        data: object = json.loads(
            text,
            parse_float=_exact,
            parse_constant=_no_constant,
            object_pairs_hook=_unique,
        )
    except json.JSONDecodeError as error:
        problem = f"is not valid JSON: {error.msg} (at line {error.lineno}, column {error.colno})"
    except _JsonError as error:
        problem = str(error)
    except ValueError:
        # Python's own limit on the digits of an int is the only other one.
        problem = "has a number of more than 4300 digits; none here is so large"
    except RecursionError:
        problem = "is nested too deeply for a schedule"
    else:
        return data
    raise ScheduleError(name, [Fault("", problem)])


def _exact(digits: str) -> Decimal:
    try:
        return Decimal(digits)
    except InvalidOperation:
        raise _JsonError(f"has the number {digits[:40]}, which is out of any range") from None


def _no_constant(word: str) -> object:
    raise _JsonError(f"has {word}, which is no number in JSON; every number is finite")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _JsonError(f"has the key {shown(twice)} twice in one object; leave one")
    return members
