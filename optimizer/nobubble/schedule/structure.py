"""What is wrong with the shape of a schedule document: keys, types, and the range of values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, get_args

from pydantic import ConfigDict, TypeAdapter, ValidationError

from nobubble.errors import Fault
from nobubble.profile.wording import pointer_to, shown
from nobubble.schedule.document import (
    MAX_INDEX,
    ComputeAction,
    ComputeOp,
    Generator,
    Metrics,
    RankActions,
    RankMetrics,
    ScheduleDocument,
    TransferAction,
    TransferOp,
)

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Path: TypeAlias = tuple[str | int, ...]

_CONFIG: Final = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
# A list of one takes a configuration, which a TypedDict alone does not.
_DOCUMENT: Final = TypeAdapter(list[ScheduleDocument], config=_CONFIG)
_RANK: Final = TypeAdapter(list[RankActions], config=_CONFIG)

_ACTIONS: Final = {
    **dict.fromkeys(get_args(ComputeOp), ComputeAction),
    **dict.fromkeys(get_args(TransferOp), TransferAction),
}
_ACTION_NAMES: Final = (ComputeAction.__name__, TransferAction.__name__)
_INDEX: Final = f"it is a whole number from 0 to {MAX_INDEX}"


def find_faults(data: dict[str, Any], most: int) -> list[Fault]:
    """Give the faults of a document's shape, at most `most` of them.

    The ranks are checked one by one, so that no copy of all actions is ever made.
    """
    ranks = data.get("ranks")
    if not isinstance(ranks, list):
        return list(_faults(_DOCUMENT, data, ()))[:most]
    faults = list(_faults(_DOCUMENT, {**data, "ranks": []}, ()))
    for index, rank in enumerate(ranks):
        if len(faults) >= most:
            break
        faults.extend(_faults(_RANK, rank, ("ranks", index)))
    return faults[:most]


def _faults(adapter: TypeAdapter[Any], value: object, place: Path) -> Iterator[Fault]:
    """Give the faults of one value, which stands at `place` in the document.

    A value that may be of several types has an error for each; only the first is told.
    """
    try:
        adapter.validate_python([value])
    except ValidationError as error:
        told: set[Path] = set()
        for detail in error.errors(include_url=False):
            spot = _spot(detail, value, place)
            if spot.concerned and spot.path not in told:
                told.add(spot.path)
                yield Fault(pointer_to(*spot.path), _message(detail, spot))


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where one of pydantic's errors is.

    Attributes
    ----------
    path : tuple of str or int
        From the top of the document.
    found : object
        What stands there; where something is missing, the object that should have it.
    form : type
        What the object that holds it should be.
    concerned : bool
        Whether the error is about an action as what its op says that it is.
    """

    path: Path
    found: object
    form: type
    concerned: bool


def _spot(detail: ErrorDetails, value: object, place: Path) -> _Spot:
    """Follow an error's path, which names types between the keys, through what was given."""
    location = detail["loc"][1:]
    path = list(place)
    found: Any = value
    form: type | None = None
    concerned = True
    for part in location:
        if part in _ACTION_NAMES:
            op = found.get("op") if isinstance(found, dict) else None
            form = _ACTIONS.get(op) if isinstance(op, str) else None
            if form is None:
                concerned = not isinstance(found, dict) or location[-1] == "op"
            else:
                concerned = part == form.__name__
        elif _holds(found, part):
            found = found[part]
            path.append(part)
    if detail["type"] == "missing":
        path.append(location[-1])
    return _Spot(tuple(path), found, form or _form_at(tuple(path[:-1])), concerned)


def _holds(found: object, part: str | int) -> bool:
    """Say whether a part of an error's path is a key or an index, not the name of a type."""
    if isinstance(found, dict):
        return part in found
    return isinstance(found, list) and isinstance(part, int)


def _form_at(path: Path) -> type:
    """Give the form of the object at a path; that of an action depends on its op."""
    match path:
        case ("generator",):
            return Generator
        case ("metrics",):
            return Metrics
        case ("metrics", "ranks", _):
            return RankMetrics
        case ("ranks", _):
            return RankActions
        case ("ranks", _, "actions", _):
            return ComputeAction
        case _:
            return ScheduleDocument


def _message(detail: ErrorDetails, spot: _Spot) -> str:
    """Say what was found, and what would be right."""
    given = shown(spot.found)
    keys = f"the keys here are {', '.join(spot.form.__annotations__)}"
    match detail["type"]:
        case "missing":
            return f"is missing; {keys}"
        case "extra_forbidden":
            return f"is not a known key; {keys}"
        case "literal_error" if spot.path[-1] == "op":
            return f"{given} is no op; it is one of {', '.join(_ACTIONS)}"
        case "literal_error":
            expected = detail["ctx"]["expected"].replace("'", '"')
            return f"{given} is not right here; it is {expected}"
        case "dict_type":
            return f"{given} is not an object"
        case "string_unicode":
            return "has a key with half of a surrogate pair, which is no text"
        case "list_type":
            return f"{given} is not a list"
        case "string_type":
            return f"{given} is not text"
        case "greater_than_equal" | "less_than_equal":
            return f"{given} is out of range; {_INDEX}"
        case "int_type" if detail["loc"][-1] != "int":
            return f"{given} is not a whole number; {_INDEX}"
        case "int_type" | "float_type" | "is_instance_of" | "none_required" | "finite_number":
            return f"{given} is not a finite number"
        case _:
            return f"{given} is not right here"
