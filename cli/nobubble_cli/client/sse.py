"""Server-sent events, as HTML's living standard has them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerEvent:
    """An event of a stream."""

    id: str
    kind: str
    data: str


def events(lines: Iterable[str]) -> Iterator[ServerEvent]:
    """Give the events of a stream; one that has not come whole is none.

    Parameters
    ----------
    lines : iterable of str
        Without their ends.
    """
    last_id, kind, data = "", "message", list[str]()
    for line in lines:
        if not line:
            if data:
                yield ServerEvent(last_id, kind, "\n".join(data))
            kind, data = "message", []
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data.append(value)
        elif name == "event":
            kind = value
        elif name == "id":
            last_id = value
