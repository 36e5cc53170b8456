"""From a model to the table of what it can run under, and which to take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nobubble.comparison.candidates import Candidate, Candidates, Splitting, candidates
from nobubble.comparison.families import Exclusion
from nobubble.comparison.row import Row, row_of
from nobubble.errors import InfeasibleError, NoScheduleError
from nobubble.methods import NAMED_SCHEDULES, Effort
from nobubble.profile.layered import LayeredModel
from nobubble.solve import solve

if TYPE_CHECKING:
    from nobubble.schedule.document import ScheduleDocument


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was compared.

    Attributes
    ----------
    model : LayeredModel
    rows : tuple of Row
        At least one. The least cost first; of equal ones the one that sends less, then the one
        that holds less.
    left_out : tuple of Exclusion
        What does not fit, or cannot be.
    """

    model: LayeredModel
    rows: tuple[Row, ...]
    left_out: tuple[Exclusion, ...]

    @property
    def best(self) -> Row:
        """What is recommended."""
        return self.rows[0]


def compare(
    model: LayeredModel,
    *,
    method: str = "auto",
    effort: Effort = "normal",
    seed: int = 0,
    time_limit: float | None = None,
    splitting: Splitting = "chosen",
    progress: Callable[[str], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> Comparison:
    """Solve a model under every family of schedules, and put the answers side by side.

    Parameters
    ----------
    model : LayeredModel
    method, effort, seed, time_limit
        Of every solve: see `nobubble.solve.solve`.
    splitting : {"chosen", "min-max", "even"}
        See `nobubble.comparison.candidates.candidates`.
    progress : callable, optional
        Hears what is being done, as a line of text.
    stop : callable, optional
        Says whether to end every solve with the best so far.

    Raises
    ------
    InfeasibleError, NoScheduleError
        Nothing fits, or nothing was found in time.
    """
    found = candidates(model, method=method, splitting=splitting, tell=progress, stop=stop)
    outcomes: list[ScheduleDocument | Exception] = []
    for number, candidate in enumerate(found.candidates, start=1):

        def tell(doing: object, about: str = _about(number, found, candidate)) -> None:
            if progress is not None:
                progress(f"{about}: {doing}")

        tell("begins")
        try:
            outcomes.append(
                solve(
                    candidate.profile,
                    method=candidate.method,
                    effort=effort,
                    seed=seed,
                    time_limit=time_limit,
                    progress=tell,
                    stop=stop,
                )
            )
        except (InfeasibleError, NoScheduleError) as error:
            outcomes.append(error)
    return comparison_of(model, found, outcomes)


def comparison_of(
    model: LayeredModel, found: Candidates, outcomes: Sequence[ScheduleDocument | Exception]
) -> Comparison:
    """Put answers side by side.

    Parameters
    ----------
    model : LayeredModel
    found : Candidates
    outcomes : sequence of ScheduleDocument or Exception, one for every candidate
        Its schedule, or why there is none.

    Raises
    ------
    InfeasibleError
        Nothing fits; it tells of the family that needs least.
    """
    rows, left_out = [], list(found.left_out)
    for candidate, outcome in zip(found.candidates, outcomes, strict=True):
        if isinstance(outcome, Exception):
            reason = str(outcome).partition(". ")[0]
            left_out.append(Exclusion(candidate.family, _called(candidate), reason))
        else:
            rows.append(row_of(candidate, outcome))
    if not rows:
        raise _nothing_fits(found, outcomes)
    rows.sort(key=lambda row: (row.cost, row.transfers, row.fullness))
    return Comparison(model, tuple(rows), tuple(left_out))


def _nothing_fits(found: Candidates, outcomes: Sequence[ScheduleDocument | Exception]) -> Exception:
    infeasible = [
        (outcome.needed, number, outcome)
        for number, outcome in enumerate(outcomes)
        if isinstance(outcome, InfeasibleError)
    ]
    if not infeasible:
        return NoScheduleError("no family had a schedule before the end; give more time")
    _, number, error = min(infeasible, key=lambda one: one[:2])
    family = found.candidates[number].family
    return InfeasibleError(
        f"nothing fits; {family} needs least: {error}",
        rank=error.rank,
        limit=error.limit,
        needed=error.needed,
    )


def _about(number: int, found: Candidates, candidate: Candidate) -> str:
    return f"{number}/{len(found.candidates)} {candidate.family} {_called(candidate)}"


def _called(candidate: Candidate) -> str:
    """Give what a candidate is called: its method, and how it runs backward where that is set."""
    if candidate.backward is None or candidate.method in NAMED_SCHEDULES:
        return candidate.method
    return f"{candidate.method}, {candidate.backward}"
