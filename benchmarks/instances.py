"""All that is measured: the ready profiles and the search cases, with both objectives."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.options import OBJECTIVES
from nobubble.profile.model import Objective, Profile
from nobubble.profile.reading import read_profile
from tests.published import case_profile, search_cases

PROFILES = Path(__file__).parents[1] / "profiles"


@dataclass(frozen=True, slots=True)
class Instance:
    """A profile with its objective.

    Attributes
    ----------
    name : str
        The profile's file without its ending, or a search case.
    objective : {"makespan", "rank_span"}
    profile : Profile
    reference : int or None
        The cost of the best schedule known from elsewhere, in ns.
    """

    name: str
    objective: Objective
    profile: Profile
    reference: int | None = None

    @property
    def key(self) -> tuple[str, Objective]:
        """What tells it from all others."""
        return self.name, self.objective

    def __str__(self) -> str:
        return f"{self.name} {self.objective}"


def instances() -> list[Instance]:
    """Give all of them, the ready profiles first."""
    files = sorted(path for path in PROFILES.iterdir() if path.suffix in (".json", ".yaml"))
    ready = [
        Instance(path.stem, objective, replace(profile, objective=objective))
        for path in files
        for profile in (read_profile(path),)
        for objective in OBJECTIVES
    ]
    cases = [
        Instance(
            case["id"],
            objective,
            case_profile(case, objective),
            int(case["best_known_" + objective.removeprefix("rank_")]),
        )
        for case in search_cases()
        for objective in OBJECTIVES
    ]
    return ready + cases
