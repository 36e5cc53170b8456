"""What an iteration takes at every memory limit, family by family."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from nobubble.comparison.candidates import Candidate, Splitting, candidates
from nobubble.comparison.families import Exclusion
from nobubble.comparison.row import row_of
from nobubble.errors import InfeasibleError, NoScheduleError
from nobubble.methods import NAMED_SCHEDULES, Effort
from nobubble.problem import Problem
from nobubble.profile.layered import LayeredModel
from nobubble.profile.model import Profile
from nobubble.solve import solve
from nobubble.solvers.memory import smallest_capacities
from nobubble.units import MEMORY_UNITS, from_unit, in_unit

if TYPE_CHECKING:
    from nobubble.schedule.document import ScheduleDocument

SCHEMA: Final = "nobubble.frontier/1"
LIMITS: Final = 12
"""How many memory limits a family is solved under, besides none at all."""


@dataclass(frozen=True, slots=True)
class Point:
    """A schedule, by what it holds and what it takes, in the profile's units.

    Attributes
    ----------
    memory : Decimal
        The limit of every rank; of a schedule by name, its highest peak.
    cost : Decimal
    method : str
        What found it, or its name.
    """

    memory: Decimal
    cost: Decimal
    method: str


@dataclass(frozen=True, slots=True)
class Curve:
    """One family.

    Attributes
    ----------
    family : str
    partition : tuple of int, shape (S,), or None
        Layers of every stage.
    points : tuple of Point
        By memory; each costs less than the one before.
    named : tuple of Point
        The schedules by name, whatever they hold.
    """

    family: str
    partition: tuple[int, ...] | None
    points: tuple[Point, ...]
    named: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Frontier:
    """What a model takes under every memory limit.

    Attributes
    ----------
    model : LayeredModel
    curves : tuple of Curve
    left_out : tuple of Exclusion
    """

    model: LayeredModel
    curves: tuple[Curve, ...]
    left_out: tuple[Exclusion, ...]

    def best(self) -> list[tuple[str, Point]]:
        """Give the family and the point that cost less than all that hold no more, by memory."""
        everything = sorted(
            ((curve.family, point) for curve in self.curves for point in curve.points),
            key=lambda one: (one[1].memory, one[1].cost),
        )
        found: list[tuple[str, Point]] = []
        for family, point in everything:
            if not found or point.cost < found[-1][1].cost:
                found.append((family, point))
        return found


def sweep_memory(
    model: LayeredModel,
    *,
    method: str = "auto",
    effort: Effort = "normal",
    seed: int = 0,
    time_limit: float | None = None,
    splitting: Splitting = "chosen",
    progress: Callable[[str], None] | None = None,
) -> Frontier:
    """Solve a model under memory limits from the smallest to none, family by family.

    Between the smallest limit with which a schedule exists, and the peak of what is found without
    one, limits are closest where there is least memory: there it changes most. A schedule counts
    for all limits above its own.

    Parameters are those of `nobubble.comparison.compare.compare`. A memory limit that the model has
    changes only how its layers are cut.

    Raises
    ------
    ValueError
        The model has no memory figures.
    """
    if not any(layer.costs.F.memory for layer in model.layers):
        raise ValueError("no op holds memory")

    def tell(text: str) -> None:
        if progress is not None:
            progress(text)

    found = candidates(model, method=method, splitting=splitting, tell=tell)
    curves = []
    for family in dict.fromkeys(one.family for one in found.candidates):
        those = [one for one in found.candidates if one.family == family]

        def solved(candidate: Candidate, limit: int | None) -> Point | None:
            document = _solved(candidate, limit, effort, seed, time_limit)
            return None if document is None else _point(candidate, document, limit)

        named = [solved(one, None) for one in those if one.method in NAMED_SCHEDULES]
        # Of the ways of running backward, the freest comes last.
        free = those[-1]
        tell(f"{family}: without a limit")
        highest = solved(free, None)
        if highest is None:
            continue
        points = [highest]
        for number, limit in enumerate(_limits(free.profile, highest.memory), start=1):
            tell(f"{family}: limit {number}/{LIMITS}")
            point = solved(free, limit)
            points += [] if point is None else [point]
        curves.append(
            Curve(family, free.profile.partition, _falling(points), tuple(filter(None, named)))
        )
    return Frontier(model, tuple(curves), found.left_out)


def _limits(profile: Profile, highest: Decimal) -> list[int]:
    """Give the limits for a family, in bytes."""
    problem = Problem.of(replace(profile, memory_limit=(None,) * profile.ranks))
    least = int((smallest_capacities(problem) + problem.static_memory).max())
    most = int(from_unit(highest, MEMORY_UNITS[profile.memory_unit]))
    squares = (step * step for step in range(LIMITS))
    return sorted({least + (most - least) * square // LIMITS**2 for square in squares})


def _solved(
    candidate: Candidate, limit: int | None, effort: Effort, seed: int, time_limit: float | None
) -> ScheduleDocument | None:
    profile = replace(candidate.profile, memory_limit=(limit,) * candidate.profile.ranks)
    try:
        return solve(
            profile, method=candidate.method, effort=effort, seed=seed, time_limit=time_limit
        )
    except (InfeasibleError, NoScheduleError):
        return None


def _point(candidate: Candidate, document: ScheduleDocument, limit: int | None) -> Point:
    row = row_of(candidate, document)
    size = MEMORY_UNITS[candidate.profile.memory_unit]
    memory = max(row.peak_memory) if limit is None else Decimal(in_unit(limit, size))
    return Point(memory, row.cost, row.found_by)


def _falling(points: list[Point]) -> tuple[Point, ...]:
    """Give the points that cost less than all that hold no more."""
    kept: list[Point] = []
    for point in sorted(points, key=lambda point: (point.memory, point.cost)):
        if not kept or point.cost < kept[-1].cost:
            kept.append(point)
    return tuple(kept)


def frontier_report(frontier: Frontier) -> dict[str, Any]:
    """Give a frontier as `nobubble compare --sweep-memory` prints it."""
    model = frontier.model
    return {
        "schema": SCHEMA,
        "name": model.name,
        "time_unit": model.time_unit,
        "memory_unit": model.memory_unit,
        "ranks": model.ranks,
        "microbatches": model.microbatches,
        "layers": len(model.layers),
        "objective": model.objective,
        "best": [{"family": family, **_written(point)} for family, point in frontier.best()],
        "families": [
            {
                "family": curve.family,
                "partition": None if curve.partition is None else list(curve.partition),
                "points": [_written(point) for point in curve.points],
                "named": [_written(point) for point in curve.named],
            }
            for curve in frontier.curves
        ],
        "left_out": [
            {"family": one.family, "method": one.method, "reason": one.reason}
            for one in frontier.left_out
        ],
    }


def _written(point: Point) -> dict[str, Any]:
    return {"memory": point.memory, "cost": point.cost, "method": point.method}
