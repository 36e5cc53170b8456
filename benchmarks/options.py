"""How much to solve with: the options that all benchmarks share."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Literal, get_args

from nobubble.methods import EFFORTS, Effort
from nobubble.profile.model import Objective, Profile
from nobubble.schedule.document import ScheduleDocument
from nobubble.solve import solve
from nobubble.units import TIME_UNITS, from_unit

OBJECTIVES: tuple[Objective, ...] = get_args(Objective)


@dataclass(frozen=True, slots=True)
class Options:
    """The work that goes into every answer.

    Attributes
    ----------
    effort : {"fast", "normal", "max"}
    time_limit : float or None
        Seconds for each solve.
    """

    effort: Effort
    time_limit: float | None

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Options:
        """Take what `parser` has read."""
        return cls(arguments.effort, arguments.time_limit)

    def __str__(self) -> str:
        limit = "" if self.time_limit is None else f" --time-limit {self.time_limit:g}"
        return f"--effort {self.effort}{limit}"

    def solve(self, profile: Profile, method: str = "auto") -> ScheduleDocument:
        """Solve a profile with these options."""
        return solve(profile, method=method, effort=self.effort, time_limit=self.time_limit)


def parser(description: str | None) -> argparse.ArgumentParser:
    """Make a parser of the shared options, described by a module's docstring."""
    made = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--effort", choices=EFFORTS, default="normal", help="default: normal")
    made.add_argument(
        "--time-limit", type=float, metavar="S", help="seconds for each solve; default: none"
    )
    return made


def nanoseconds(
    document: ScheduleDocument,
    figure: Literal["cost", "lower_bound", "makespan", "rank_span"] = "cost",
) -> int:
    """Give a time that a schedule states, in ns."""
    figures = {
        "cost": document["cost"],
        "lower_bound": document["lower_bound"],
        "makespan": document["metrics"]["makespan"],
        "rank_span": document["metrics"]["rank_span"],
    }
    return int(from_unit(figures[figure], TIME_UNITS[document["profile"]["time_unit"]]))
