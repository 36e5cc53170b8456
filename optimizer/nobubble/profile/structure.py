"""From plain values to a `WrittenProfile`, or to the list of what is wrong with its shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError

from nobubble.errors import Fault
from nobubble.profile.figures import FAULT
from nobubble.profile.wording import counted, enumerated, nearest, pointer_to, shown
from nobubble.profile.written import (
    MANY,
    ONE,
    PARTED,
    PROFILE_SCHEMA,
    WrittenCommunication,
    WrittenProfile,
)
from nobubble.profile.written_stages import WrittenFusedOp, WrittenLayer, WrittenOp, WrittenStage

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_STAGE = '{"F": {"time": 30}, "B": {"time": 30}, "W": {"time": 20}}'

PARTS = ("stage", "layer")

_MISSING: dict[tuple[str, ...], str] = {
    ("schema",): f'a profile has "schema": "{PROFILE_SCHEMA}"',
    ("time_unit",): "give the unit of every time: s, ms, us or ns",
    ("ranks",): "give the number of pipeline positions, an integer >= 1",
    ("microbatches",): "give the number of microbatches in an iteration, an integer >= 1",
    ("stages",): f"give an object for every stage, or one for all, such as {_STAGE}",
    ("layers",): f"give an object for every layer, such as {_STAGE}",
    **{(f"{part}s", op): f"every {part} has F, B and W" for part in PARTS for op in "FBW"},
    **{
        (f"{part}s", op, "time"): "every op has a time, a number >= 0"
        for part in PARTS
        for op in "FBW"
    },
    ("communication", "F"): "communication by direction has F and B",
    ("communication", "B"): "communication by direction has F and B",
}


def check_structure(data: Mapping[str, object]) -> WrittenProfile | list[Fault]:
    """Check keys, types and the range of every single value.

    Returns
    -------
    WrittenProfile or list of Fault
        The faults are never empty.
    """
    units = {key: data.get(key) for key in ("time_unit", "memory_unit")}
    try:
        written = WrittenProfile.model_validate(dict(data), context=units)
        faults = []
    except ValidationError as error:
        faults = [_translated(detail) for detail in error.errors(include_url=False)]
    if not {"stages", "layers"} & set(data):
        faults.append(Fault("/stages", f"is missing; {_MISSING['stages',]}"))
    if not faults:
        return written
    wrong_schema = [fault for fault in faults if fault.pointer == "/schema"]
    # What another version means by its keys is not known, so only the version is at fault.
    return wrong_schema if wrong_schema and "schema" in data else faults


def _translated(detail: ErrorDetails) -> Fault:
    """Put one of pydantic's errors into our words."""
    # An unknown key may be called as our own words for what a value can be.
    *before, last = detail["loc"] or ("",)
    path = [part for part in before if part not in (ONE, MANY, PARTED)]
    if last not in ("", ONE, MANY, PARTED) or detail["type"] == "extra_forbidden":
        path.append(last)
    names = tuple(part for part in path if isinstance(part, str))
    value = detail["input"]
    match detail["type"]:
        case type_ if type_ == FAULT:
            message = detail["msg"]
        case "missing":
            message = f"is missing; {_MISSING[names]}"
        case "extra_forbidden":
            message = _unknown_key(str(path[-1]), _model_at(names[:-1]))
        case "model_type":
            what = "an op" if len(names) > 1 else f"a {names[0].removesuffix('s')}"
            example = '{"time": 30}' if len(names) > 1 else _STAGE
            message = f"{shown(value)} is not an object; {what} is an object such as {example}"
        case "too_short":
            message = f"is an empty list; {_MISSING[names]}"
        case "too_long":
            message = f"has {counted(len(value), names[0].removesuffix('s'))}; {detail['msg']}"
        case "string_unicode":  # Of a key, it is told at the object that has it.
            message = f"{shown(value)} has half of a surrogate pair, and so is no text"
        case _:
            message = f"{shown(value)} cannot be read: {detail['msg']}"
    return Fault(pointer_to(*path), message)


def _model_at(names: tuple[str, ...]) -> type[BaseModel]:
    """Give the model of the object that stands at a path."""
    match names:
        case ():
            return WrittenProfile
        case ("communication",):
            return WrittenCommunication
        case ("stages",):
            return WrittenStage
        case ("layers",):
            return WrittenLayer
        case (_, "BW"):
            return WrittenFusedOp
        case _:
            return WrittenOp


def _unknown_key(key: str, model: type[BaseModel]) -> str:
    """Say that a key is unknown, and which one may have been meant."""
    keys = [field.alias or name for name, field in model.model_fields.items()]
    near = nearest(key, keys)
    hint = f'did you mean "{near}"?' if near else f"the keys here are {enumerated(keys, 20)}"
    return f"is not a known key; {hint}"
