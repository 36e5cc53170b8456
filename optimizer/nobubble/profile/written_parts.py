"""The parts of a written profile that have several forms, with where each stands."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from nobubble.profile.written import WrittenProfile
    from nobubble.profile.written_stages import WrittenStage


def given_pieces(written: WrittenProfile) -> Iterator[tuple[str, WrittenStage]]:
    """Give every stage or layer that is written, with where it stands."""
    if written.layers:
        for index, layer in enumerate(written.layers):
            yield f"/layers/{index}", layer
    elif isinstance(written.stages, list):
        for index, stage in enumerate(written.stages):
            yield f"/stages/{index}", stage
    else:
        yield "/stages", written.stages


def by_direction(written: WrittenProfile) -> bool:
    """Tell whether communication is given for each direction."""
    return not isinstance(written.communication, Decimal | list)


def communication(
    written: WrittenProfile, way: Literal["F", "B"]
) -> tuple[str, Decimal | list[Decimal]]:
    """Give the communication of one direction, and where it stands."""
    value = written.communication
    if isinstance(value, Decimal | list):
        return "/communication", value
    return f"/communication/{way}", value.F if way == "F" else value.B
