"""A document as JSON text, the same bytes on any machine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any


def json_text(document: Mapping[str, Any]) -> str:
    """Write a document as JSON, one line for every object that holds no other.

    Decimals are written in full, as plain numbers; keys keep their order.
    """
    return "".join(_pieces(document, "\n")) + "\n"


def _pieces(value: Any, newline: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        if all(_is_scalar(member) for member in value.values()):
            yield _object_on_one_line(value)
            return
        opening, closing = "{", "}"
        members = [(f"{json.dumps(key)}: ", member) for key, member in value.items()]
    elif isinstance(value, list):
        if all(_is_scalar(member) for member in value):
            yield "[" + ", ".join(map(_scalar, value)) + "]"
            return
        opening, closing = "[", "]"
        members = [("", member) for member in value]
    else:
        yield _scalar(value)
        return
    inner = newline + " "
    separator = opening + inner
    for prefix, member in members:
        yield separator
        yield prefix
        yield from _pieces(member, inner)
        separator = "," + inner
    yield newline + closing


def _object_on_one_line(value: Mapping[str, Any]) -> str:
    return "{" + ", ".join([f'"{key}": {_scalar(value[key])}' for key in value]) + "}"


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, (Mapping, list))


def _scalar(value: Any) -> str:
    if isinstance(value, Decimal):
        return format(value, "f")
    return json.dumps(value, allow_nan=False, ensure_ascii=False)
