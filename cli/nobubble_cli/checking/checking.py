"""One profile and its committed schedule: looked at and, where wanted, written anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nobubble.errors import (
    InfeasibleError,
    InputError,
    MethodError,
    NoScheduleError,
    ProfileError,
)
from nobubble_cli.checking.choices import Choices
from nobubble_cli.checking.finding import Finding, Kind
from nobubble_cli.checking.judging import (
    fault_of,
    first_fault,
    is_proven_best,
    read_committed,
    worse,
)
from nobubble_cli.checking.pairs import Pair
from nobubble_cli.output import write_output
from nobubble_cli.solve_options import Answer, SolveOptions

if TYPE_CHECKING:
    from nobubble.profile.model import Profile
    from nobubble.schedule.document import ScheduleDocument

Solve = Callable[["Profile", SolveOptions], Answer]


@dataclass(frozen=True, slots=True)
class Checked:
    """What came of a pair.

    Attributes
    ----------
    pair : Pair
    finding : Finding or None
        What was wrong.
    is_written : bool
        Whether it has been put right.
    document : ScheduleDocument or None
        The schedule that is there now.
    """

    pair: Pair
    finding: Finding | None
    is_written: bool
    document: ScheduleDocument | None

    def report(self) -> dict[str, Any]:
        """Give it for programs."""
        found = "ok" if self.finding is None else self.finding.kind
        figures = {}
        if self.document is not None:
            figures = {
                "cost": self.document["cost"],
                "time_unit": self.document["profile"]["time_unit"],
                "gap": self.document["gap"],
            }
        return {
            "profile": str(self.pair.profile),
            "schedule": str(self.pair.schedule),
            "found": found,
            "written": self.is_written,
            **figures,
        }


def check_pair(pair: Pair, choices: Choices, solve: Solve, *, update: bool) -> Checked:
    """Check a committed schedule.

    Parameters
    ----------
    pair : Pair
    choices : Choices
    solve : callable
    update : bool
        Write a new schedule where there is something wrong.

    Raises
    ------
    NobubbleError
        A file cannot be written, or a service cannot be asked.
    """
    from nobubble.profile.reading import read_profile

    obstacle = _obstacle(pair)
    if obstacle is not None:
        return Checked(pair, obstacle, False, None)
    try:
        profile = read_profile(pair.profile)
    except ProfileError as error:
        message = f"{first_fault(error)}; put the profile right"
        return Checked(pair, Finding("bad-profile", message), False, None)
    read = read_committed(pair.schedule)
    committed = None if isinstance(read, Finding) else read
    options = choices.options(committed)
    finding = read if isinstance(read, Finding) else fault_of(pair.schedule, read, profile, options)

    answer = None
    try:
        if finding is not None:
            answer = solve(profile, options) if update else None
        elif committed is not None and not is_proven_best(
            committed, options.profile_solved(profile)
        ):
            answer = solve(profile, options)
            finding = worse(pair.schedule, committed, answer.document, options)
    except (InfeasibleError, MethodError, NoScheduleError) as error:
        # A schedule without fault stands where the method or the time gives none.
        if finding is not None:
            reason = " ".join(str(error).split())
            finding = Finding("unsolved", f"{pair.profile}: {reason}")
    if finding is None or answer is None or not update:
        return Checked(pair, finding, False, committed)
    _make_folder(pair.schedule.parent)
    write_output(str(pair.schedule), answer.text)
    return Checked(pair, finding, True, answer.document)


def _obstacle(pair: Pair) -> Finding | None:
    """Find what is there and no file: a pipe is never read, and nothing takes a folder's place."""
    kinds: tuple[tuple[Path, Kind], ...] = (
        (pair.profile, "bad-profile"),
        (pair.schedule, "unreadable"),
    )
    for path, kind in kinds:
        if path.exists() and not path.is_file():
            what = "a folder" if path.is_dir() else "no regular file"
            return Finding(kind, f"{path} is {what}; move it away")
    return None


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(f"cannot make the folder {folder}: {reason}") from None
