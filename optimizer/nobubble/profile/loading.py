"""From a file or stdin to plain values, with every number the exact decimal that was written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from nobubble.errors import Fault, ProfileError
from nobubble.profile.rounding import exact_decimal
from nobubble.profile.wording import pointer_to
from nobubble.text_source import name_of, text_of

_FORMATS = {".json": "JSON", ".yaml": "YAML", ".yml": "YAML", ".toml": "TOML"}
_TOML_LINE = re.compile(r"""\s*(?:[\w.-]+|"[^"]*"|'[^']*')\s*=""")
_LONG_INT = 100


def load(source: str | Path) -> object:
    """Read a JSON, YAML or TOML file, or stdin for ``-``.

    Returns
    -------
    object
        Plain values; numbers are int or Decimal. What they mean is not checked.

    Raises
    ------
    ProfileError
        There is no such file, it cannot be read, or it is not in the format that its extension
        says.
    """
    name = name_of(source)
    text = text_of(source, ProfileError)
    if not text.strip():
        raise ProfileError(name, [Fault("", "is empty; a profile is an object with a schema")])
    known = None if name == "<stdin>" else _FORMATS.get(Path(source).suffix.lower())
    read = {"JSON": read_json, "YAML": _yaml, "TOML": _toml}[known or _guess(text)]
    try:
        return read(text, name)
    except RecursionError:
        raise ProfileError(name, [Fault("", "is nested too deeply for a profile")]) from None


def _guess(text: str) -> str:
    """Tell the format of a text by how it begins."""
    if text.lstrip().startswith("{"):
        return "JSON"
    lines = (line for line in text.splitlines() if line.strip() and line.strip()[0] != "#")
    return "TOML" if _TOML_LINE.match(next(lines, "")) else "YAML"


class _Repeating(dict[str, object]):
    """A JSON object in which some keys stand more than once."""

    repeated: tuple[str, ...]


def read_json(text: str, name: str) -> object:
    """Read JSON; NaN and the infinities come through, and are refused where they stand."""
    found: list[_Repeating] = []

    def build(pairs: list[tuple[str, object]]) -> dict[str, object]:
        result = dict(pairs)
        if len(result) == len(pairs):
            return result
        keys = [key for key, _ in pairs]
        marked = _Repeating(result)
        marked.repeated = tuple(key for key in result if keys.count(key) > 1)
        found.append(marked)
        return marked

    try:
        data: object = json.loads(
            text,
            parse_float=exact_decimal,
            # Python refuses to convert an int of more than 4300 digits.
            parse_int=lambda digits: int(digits) if len(digits) < _LONG_INT else Decimal(digits),
            parse_constant=Decimal,
            object_pairs_hook=build,
        )
    except json.JSONDecodeError as error:
        problem = f"is not valid JSON: {error.msg} (at line {error.lineno}, column {error.colno})"
        raise ProfileError(name, [Fault("", problem)]) from None
    if found:
        raise ProfileError(name, list(_repeated(data)))
    return data


def _repeated(data: object, *path: str | int) -> Iterator[Fault]:
    """Find every key that stands twice in one object."""
    if isinstance(data, _Repeating):
        for key in data.repeated:
            problem = f'the key "{key}" stands twice in one object; leave one'
            yield Fault(pointer_to(*path), problem)
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _repeated(value, *path, key)
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _repeated(value, *path, index)


def _yaml(text: str, name: str) -> object:
    """Read YAML."""
    import yaml

    from nobubble.profile import yaml_exact

    try:
        return yaml_exact.load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = ", ".join(part for part in (error.context, error.problem) if part)
        place = f" (at line {mark.line + 1}, column {mark.column + 1})" if mark else ""
    except yaml.YAMLError as error:
        # Only the reader's complaint about a character has no mark.
        problem, place = " ".join(str(error).split()), ""
    raise ProfileError(name, [Fault("", f"is not valid YAML: {problem}{place}")])


def _toml(text: str, name: str) -> object:
    """Read TOML."""
    import tomllib

    try:
        return tomllib.loads(text, parse_float=exact_decimal)
    except ValueError as error:
        # A ValueError that is not a TOMLDecodeError is Python's limit on the digits of an int.
        problem = f"is not valid TOML: {error}"
        raise ProfileError(name, [Fault("", problem)]) from None
