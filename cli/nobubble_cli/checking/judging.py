"""What is wrong with a committed schedule."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from nobubble.errors import DocumentError
from nobubble.units import TIME_UNITS
from nobubble_cli.checking.finding import Finding
from nobubble_cli.solve_options import SolveOptions

if TYPE_CHECKING:
    from nobubble.profile.model import Profile
    from nobubble.schedule.document import ScheduleDocument


def read_committed(path: Path) -> ScheduleDocument | Finding:
    """Read a committed schedule, or say why there is none."""
    from nobubble.errors import ScheduleError
    from nobubble.schedule.reading import read_schedule

    if not path.exists():
        return Finding("missing", f"{path}: is missing; --update writes it")
    try:
        return read_schedule(path)
    except ScheduleError as error:
        return Finding("unreadable", f"{first_fault(error)}; --update writes it anew")


def first_fault(error: DocumentError) -> str:
    """Give the first fault of a document in a line, and how many more there are."""
    return _first([f"{error.source}: {fault}" for fault in error.faults])


def fault_of(
    path: Path, document: ScheduleDocument, profile: Profile, options: SolveOptions
) -> Finding | None:
    """Say what is wrong with a schedule in itself, and as one of this profile."""
    from nobubble.profile.canonical import profile_sha256
    from nobubble.verifier.verify import verify

    solved = options.profile_solved(profile)
    if document["profile_sha256"] != profile_sha256(solved):
        return Finding(
            "stale",
            f"{path}: is of another profile than is there now{_difference(document, solved)}; "
            "--update solves it anew",
        )
    findings = verify(document, solved)
    if findings:
        return Finding("invalid", f"{path}: {_first(findings)}; --update solves it anew")
    return None


def worse(
    path: Path, committed: ScheduleDocument, new: ScheduleDocument, options: SolveOptions
) -> Finding | None:
    """Say by how much a schedule costs more than a new one, if it does."""
    old_cost, new_cost = cost_in_ns(committed), cost_in_ns(new)
    if old_cost <= new_cost:
        return None
    share = f"{100 * (old_cost - new_cost) / old_cost:.2f}"
    return Finding(
        "worse",
        f"{path}: costs {_cost(committed)}, but method {options.method}, effort {options.effort}, "
        f"seed {options.seed} now gives {_cost(new)}, "
        f"{'less than 0.01' if share == '0.00' else share} % less; --update writes that",
    )


def is_proven_best(document: ScheduleDocument, profile: Profile) -> bool:
    """Tell whether no schedule can cost less, by the bounds in closed form: they are quick."""
    from nobubble.bounds.best import best_bound
    from nobubble.problem import Problem

    return best_bound(Problem.of(profile)).value >= cost_in_ns(document)


def cost_in_ns(document: ScheduleDocument) -> int:
    """Give the cost of a valid schedule in nanoseconds, which are whole."""
    return int(Decimal(str(document["cost"])) * TIME_UNITS[document["profile"]["time_unit"]])


def _difference(document: ScheduleDocument, profile: Profile) -> str:
    """Name the keys in which the profile of a schedule differs."""
    from nobubble.profile.canonical import canonical_form
    from nobubble.profile.reading import parse_profile

    now = canonical_form(profile)
    then = canonical_form(parse_profile(document["profile"]))
    keys = [key for key in now if now[key] != then[key]]
    if not keys:
        return " by the hash that it gives"
    return f" ({', '.join(keys)} {'differs' if len(keys) == 1 else 'differ'})"


def _cost(document: ScheduleDocument) -> str:
    cost = document["cost"]
    number = format(cost, "f") if isinstance(cost, Decimal) else str(cost)
    return f"{number} {document['profile']['time_unit']}"


def _first(texts: list[str]) -> str:
    more = f" (and {len(texts) - 1} more)" if len(texts) > 1 else ""
    return f"{' '.join(texts[0].split())}{more}"
