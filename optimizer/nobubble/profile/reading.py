"""Reading profiles: from a file, from stdin, or from values that are parsed already."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from nobubble.errors import Fault, ProfileError
from nobubble.profile.model import Profile
from nobubble.profile.rounding import Rounding
from nobubble.profile.wording import counted, shown

if TYPE_CHECKING:
    from nobubble.profile.layered import LayeredModel
    from nobubble.profile.written import WrittenProfile

Completed = TypeVar("Completed", "Profile", "LayeredModel")

MOST_FAULTS = 20
"""How many faults are told at once; one slip repeated over a thousand stages is no news."""


def read_profile(
    source: str | Path,
    overrides: Mapping[str, object] | None = None,
    *,
    notes: list[str] | None = None,
) -> Profile:
    """Read a `nobubble.profile/1`.

    Parameters
    ----------
    source : str or Path
        A JSON, YAML or TOML file, told by its extension, else by how it begins; ``-`` is stdin.
    overrides : mapping, optional
        Values that replace top-level keys such as ``microbatches`` before anything is checked.
        Messages about them say that they come from the command line.
    notes : list of str, optional
        Receives a line when figures had to be rounded to whole nanoseconds or bytes.

    Returns
    -------
    Profile
        Complete: every default filled in.

    Raises
    ------
    ProfileError
        The file cannot be read, or is not a valid profile. Lists everything that was found.
    """
    from nobubble.profile.loading import load
    from nobubble.text_source import name_of

    data = load(source)
    return _checked(data, name_of(source), overrides or {}, notes)


def parse_profile(
    data: Mapping[str, object],
    source: str = "<profile>",
    *,
    notes: list[str] | None = None,
) -> Profile:
    """Check a profile that is parsed already.

    Parameters
    ----------
    data : mapping
        The keys of a `nobubble.profile/1`. Numbers are int, float or Decimal; a float counts as
        the decimal that it prints as.
    source : str
        What messages call it.
    notes : list of str, optional
        Receives a line when figures had to be rounded to whole nanoseconds or bytes.

    Raises
    ------
    ProfileError
        It is not a valid profile. Lists everything that was found.
    """
    return _checked(data, source, {}, notes)


def read_model(
    source: str | Path,
    overrides: Mapping[str, object] | None = None,
    *,
    notes: list[str] | None = None,
) -> LayeredModel:
    """Read what a profile says of a model's layers, of which stages of any placement can be made.

    Parameters, and what is raised, are those of `read_profile`. Of a profile with stages, every
    stage is a layer.
    """
    from nobubble.profile.loading import load
    from nobubble.text_source import name_of

    return parse_model(load(source), name_of(source), overrides or {}, notes=notes)


def parse_model(
    data: object,
    source: str = "<profile>",
    overrides: Mapping[str, object] | None = None,
    *,
    notes: list[str] | None = None,
) -> LayeredModel:
    """Check a model that is parsed already; see `read_model` and `parse_profile`."""
    from nobubble.profile.completing import complete_model

    return _completed(data, source, overrides or {}, notes, complete_model)


def _checked(
    data: object, source: str, overrides: Mapping[str, object], notes: list[str] | None
) -> Profile:
    """Check plain values, and complete the profile that they say."""
    # Pydantic is imported where a profile is read, not where a command starts.
    from nobubble.profile.completing import complete

    profile = _completed(data, source, overrides, notes, complete)
    if notes is not None and isinstance(data, Mapping) and "layers" in data:
        assert profile.partition is not None, "layers were cut"
        layers = counted(sum(profile.partition), "layer")
        notes.append(
            f"{layers} given, {layers} used: {', '.join(map(str, profile.partition))} in the "
            f"{len(profile.partition)} stages"
        )
    return profile


def _completed(
    data: object,
    source: str,
    overrides: Mapping[str, object],
    notes: list[str] | None,
    complete: Callable[[WrittenProfile, Rounding], Completed | list[Fault]],
) -> Completed:
    from nobubble.profile.structure import check_structure

    if not isinstance(data, Mapping):
        problem = f"is not an object but {shown(data)}; a profile is an object with a schema"
        raise ProfileError(source, [Fault("", problem)])
    written = check_structure({**data, **overrides})
    rounding = Rounding()
    result = written if isinstance(written, list) else complete(written, rounding)
    if isinstance(result, list):
        raise ProfileError(source, _told(result, overrides))
    note = rounding.note()
    if note is not None and notes is not None:
        notes.append(note)
    return result


def _told(faults: Sequence[Fault], overrides: Mapping[str, object]) -> list[Fault]:
    """Say which faults come from the command line, and shorten a long list."""
    told = []
    for fault in faults[:MOST_FAULTS]:
        key = fault.pointer.split("/")[1] if fault.pointer else ""
        option = f" (given by --{key.replace('_', '-')})" if key in overrides else ""
        told.append(Fault(fault.pointer, fault.message + option))
    if len(faults) > MOST_FAULTS:
        told.append(Fault("", f"and {len(faults) - MOST_FAULTS} more faults"))
    return told
