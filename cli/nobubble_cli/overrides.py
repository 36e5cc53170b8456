"""The options that stand in for a key of the profile, and reading a profile with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nobubble_cli.choices import one_of
from nobubble_cli.inputs import check_source
from nobubble_cli.messages import say

if TYPE_CHECKING:
    from nobubble.profile.model import Profile

OBJECTIVES = ("makespan", "rank_span")
NAMED_PLACEMENTS = ("linear", "interleaved", "v")

ProfilePath = Annotated[
    str,
    typer.Argument(metavar="PROFILE", help="A profile: a JSON, YAML or TOML file, or - for stdin."),
]
ObjectiveOption = Annotated[
    str | None,
    typer.Option(
        "--objective",
        metavar="|".join(OBJECTIVES),
        help="What to make small, instead of the profile's objective.",
    ),
]
MicrobatchesOption = Annotated[
    int | None,
    typer.Option(
        "--microbatches", metavar="N", help="Microbatches, instead of the profile's number."
    ),
]
MemoryLimitOption = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        metavar="X[,X...]|none",
        help="Memory limit in the profile's unit, for every rank or a list of one for each.",
    ),
]
PlacementOption = Annotated[
    str | None,
    typer.Option(
        "--placement",
        metavar="|".join(NAMED_PLACEMENTS) + "|R[,R...]",
        help="Placement of the stages, by name or as a list with the rank of every stage.",
    ),
]

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")


def overrides(
    objective: str | None,
    microbatches: int | None,
    memory_limit: str | None,
    placement: str | None,
) -> dict[str, Any]:
    """Give the keys of the profile that options stand in for.

    Raises
    ------
    typer.BadParameter
        An option has a value that cannot be read; the message names the option.
    """
    keys: dict[str, Any] = {}
    if objective is not None:
        keys["objective"] = one_of(objective, OBJECTIVES, "--objective")
    if microbatches is not None:
        keys["microbatches"] = microbatches
    if memory_limit is not None:
        keys["memory_limit"] = _memory_limit(memory_limit)
    if placement is not None:
        keys["placement"] = _placement(placement)
    return keys


def read_profile_with(source: str, keys: dict[str, Any]) -> Profile:
    """Read a profile with some keys replaced; notes about it go to stderr.

    Raises
    ------
    InputError
        The profile cannot be read, or is not valid with these keys.
    """
    from nobubble.profile.reading import read_profile

    check_source(source, "PROFILE")
    notes: list[str] = []
    profile = read_profile(source, keys, notes=notes)
    for note in notes:
        say(f"note: {note}")
    return profile


def _memory_limit(text: str) -> int | Decimal | list[int | Decimal | None] | None:
    limits = [_limit(entry.strip()) for entry in text.split(",")]
    return limits[0] if len(limits) == 1 else limits


def _limit(entry: str) -> int | Decimal | None:
    if entry == "none":
        return None
    if not _NUMBER.fullmatch(entry):
        raise typer.BadParameter(
            f"{entry!r} is not a number; give one in the profile's memory unit, a list with one "
            "for every rank such as 20,20,16,16, or none for no limit",
            param_hint="'--memory-limit'",
        )
    return int(entry) if entry.isdigit() else Decimal(entry)


def _placement(text: str) -> str | list[int]:
    if text in NAMED_PLACEMENTS:
        return text
    entries = [entry.strip() for entry in text.split(",")]
    if not all(re.fullmatch("[0-9]{1,9}", entry) for entry in entries):
        raise typer.BadParameter(
            f"{text!r} is not a placement; give linear, interleaved, v, or a list with the rank of "
            "every stage such as 0,1,2,2,1,0",
            param_hint="'--placement'",
        )
    return [int(entry) for entry in entries]


def options_for(wanted: Profile, given: Profile) -> list[str]:
    """Give the options with which one profile becomes another; none where no options do it."""
    changed: dict[str, Any] = {}
    options: list[str] = []
    if given.objective != wanted.objective:
        changed["objective"] = wanted.objective
        options += ["--objective", wanted.objective]
    if given.microbatches != wanted.microbatches:
        changed["microbatches"] = wanted.microbatches
        options += ["--microbatches", str(wanted.microbatches)]
    if given.placement != wanted.placement:
        changed["placement"] = wanted.placement
        options += ["--placement", ",".join(map(str, wanted.placement))]
    if given.memory_limit != wanted.memory_limit:
        changed["memory_limit"] = wanted.memory_limit
        if set(wanted.memory_limit) == {None}:
            options.append("--ignore-memory-limit")
        else:
            options += ["--memory-limit", _limits(wanted.memory_limit, given.memory_unit)]
    as_written: dict[str, Any] = {
        "name": wanted.name,
        "time_unit": wanted.time_unit,
        "memory_unit": wanted.memory_unit,
    }
    return options if replace(given, **changed, **as_written) == wanted else []


def _limits(limits: Sequence[int | None], unit: str) -> str:
    """Give limits in bytes as --memory-limit takes them."""
    from nobubble.units import MEMORY_UNITS, in_unit

    texts = [
        "none" if limit is None else format(Decimal(in_unit(limit, MEMORY_UNITS[unit])), "f")
        for limit in limits
    ]
    return texts[0] if len(set(texts)) == 1 else ",".join(texts)
