"""How values, places and near misses are put into messages."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Integral

_LONGEST = 40


def as_number(value: object) -> Decimal | None:
    """Give an int, float or Decimal as the decimal that was written; None for anything else.

    A float counts as its shortest representation; a bool is no number.
    """
    if isinstance(value, Decimal):
        return value
    if isinstance(value, bool):
        return None
    if isinstance(value, Integral):
        return Decimal(int(value))
    if isinstance(value, float):
        # Not repr(): subclasses such as numpy's print their own name.
        return Decimal(float.__repr__(value))
    return None


def shown(value: object) -> str:
    """Give a value for a message: short, and in the words of JSON."""
    number = as_number(value)
    if number is not None:
        text = str(number).replace("Infinity", "infinity")
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        short = value if len(value) <= _LONGEST else value[: _LONGEST - 3] + "..."
        return json.dumps(short)
    if isinstance(value, Mapping):
        return "an object"
    if isinstance(value, Sequence):
        return "a list"
    return f"a {type(value).__name__}"


def pointer_to(*parts: str | int) -> str:
    """Give the JSON pointer (RFC 6901) of a place in a document."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def nearest(word: str, options: Iterable[str]) -> str | None:
    """Give the option that `word` is most likely meant to be, if any is near."""
    by_lower = {option.lower(): option for option in options}
    lower = word.lower()
    close = difflib.get_close_matches(lower, by_lower, n=1)
    if close:
        return by_lower[close[0]]
    beginnings = [option for option in by_lower if len(lower) > 2 and option.startswith(lower)]
    return by_lower[beginnings[0]] if len(beginnings) == 1 else None


def enumerated(items: Sequence[object], most: int = 10) -> str:
    """Give ``1, 2, 3``, and beyond `most` items only how many more there are."""
    head = ", ".join(str(item) for item in items[:most])
    return head if len(items) <= most else f"{head} and {len(items) - most} more"


def counted(number: int, one: str, many: str | None = None) -> str:
    """Give ``1 stage`` or ``8 stages``."""
    return f"{number} {one if number == 1 else many or one + 's'}"
