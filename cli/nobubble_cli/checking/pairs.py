"""Which schedule belongs to which profile."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nobubble.errors import InputError

PROFILE_SUFFIXES: Final = (".json", ".yaml", ".yml", ".toml")
SCHEDULE_SUFFIX: Final = ".schedule.json"


@dataclass(frozen=True, slots=True)
class Pair:
    """A profile, and the file where its schedule is or should be."""

    profile: Path
    schedule: Path


def find_pairs(profiles: Path, schedules: Path) -> tuple[list[Pair], list[Path]]:
    """Find all profiles of a folder, and all schedules that have none.

    Parameters
    ----------
    profiles, schedules : Path
        Folders, which may be the same; folders in them are not looked into. The second need not
        be there.

    Returns
    -------
    pairs : list of Pair
        In the order of their names; the schedule of ``NAME.json`` is ``NAME.schedule.json``.
    orphans : list of Path

    Raises
    ------
    InputError
        The first is no folder, has no profile, or two that go by one name.
    """
    if not profiles.is_dir():
        raise InputError(f"PROFILES: {profiles} is not a folder; give the one with the profiles")
    if schedules.exists() and not schedules.is_dir():
        raise InputError(f"SCHEDULES: {schedules} is not a folder; give the one for the schedules")
    try:
        entries = sorted(profiles.iterdir())
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"PROFILES: {profiles} cannot be read: {reason}") from None
    found: dict[str, Path] = {}
    for path in entries:
        if not _is_profile(path):
            continue
        if path.stem in found:
            raise InputError(
                f"{found[path.stem]} and {path.name} would both have the schedule "
                f"{path.stem}{SCHEDULE_SUFFIX}; rename one"
            )
        found[path.stem] = path
    if not found:
        raise InputError(
            f"PROFILES: there is no profile in {profiles}: no file that ends in "
            f"{', '.join(PROFILE_SUFFIXES)}"
        )
    pairs = [Pair(path, schedules / f"{stem}{SCHEDULE_SUFFIX}") for stem, path in found.items()]
    wanted = {pair.schedule for pair in pairs}
    there = sorted(schedules.glob(f"*{SCHEDULE_SUFFIX}"))
    return pairs, [path for path in there if path not in wanted]


def _is_profile(path: Path) -> bool:
    return (
        path.suffix.lower() in PROFILE_SUFFIXES
        and not path.name.startswith(".")
        and not path.name.endswith(SCHEDULE_SUFFIX)
        and not path.is_dir()
    )
