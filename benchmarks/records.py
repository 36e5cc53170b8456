"""profiles/best_known.csv: what is known of every instance.

Two things for each. The best that is known: the lowest cost and the highest bound from anywhere,
and where the cost comes from. And what normal effort reaches, which is the same on every machine,
so that anything worse is a change of the code.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields, replace
from pathlib import Path

from benchmarks.instances import PROFILES

FILE = PROFILES / "best_known.csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A row of the file; times in ns.

    Attributes
    ----------
    instance, objective : str
    cost_ns, bound_ns : int
        The cheapest schedule, and the highest lower bound.
    bound : str
        What proves the bound.
    proven : {"yes", "no"}
        Whether they are equal.
    method : str
        What found the schedule: "reference" where it is in tests/reference/ only.
    options : str
        Those of `python -m benchmarks.best_known` with which it was found.
    version : str
        Of nobubble, when cost or bound was last improved.
    normal_cost_ns, normal_bound_ns : int or None
        What normal effort reaches without a time limit.
    """

    instance: str
    objective: str
    cost_ns: int
    bound_ns: int
    bound: str
    proven: str
    method: str
    options: str
    version: str
    normal_cost_ns: int | None = None
    normal_bound_ns: int | None = None

    @property
    def key(self) -> tuple[str, str]:
        """What it is about."""
        return self.instance, self.objective

    def gap(self) -> float:
        """Give the part of the cost that is above the bound."""
        return (self.cost_ns - self.bound_ns) / self.cost_ns if self.cost_ns else 0.0

    def losses(self, run: Record, *, is_full: bool) -> list[str]:
        """Say in what a run is worse than this, or contradicts it.

        A run of less than `auto` with normal effort may be worse: only a contradiction counts.
        """
        found = []
        if run.cost_ns < self.bound_ns:
            found.append(f"cost {run.cost_ns} below the bound on record, {self.bound_ns}")
        if run.bound_ns > self.cost_ns:
            found.append(f"bound {run.bound_ns} above the cost on record, {self.cost_ns}")
        if not is_full or self.normal_cost_ns is None or self.normal_bound_ns is None:
            return found
        if run.cost_ns > self.normal_cost_ns:
            found.append(f"cost {run.cost_ns}, was {self.normal_cost_ns}")
        if run.bound_ns < self.normal_bound_ns:
            found.append(f"bound {run.bound_ns}, was {self.normal_bound_ns}")
        return found

    def improved_by(self, run: Record) -> Record:
        """Take over the best of a run, and what it reached if its effort was normal."""
        better = self
        if run.cost_ns < self.cost_ns:
            better = replace(
                better,
                cost_ns=run.cost_ns,
                method=run.method,
                options=run.options,
                version=run.version,
            )
        if run.bound_ns > self.bound_ns:
            better = replace(
                better, bound_ns=run.bound_ns, bound=run.bound, version=run.version or self.version
            )
        costs = [c for c in (self.normal_cost_ns, run.normal_cost_ns) if c is not None]
        bounds = [b for b in (self.normal_bound_ns, run.normal_bound_ns) if b is not None]
        return replace(
            better,
            proven="yes" if better.cost_ns == better.bound_ns else "no",
            normal_cost_ns=min(costs, default=None),
            normal_bound_ns=max(bounds, default=None),
        )


COLUMNS = tuple(field.name for field in fields(Record))


def read_records(path: Path = FILE) -> dict[tuple[str, str], Record]:
    """Read the file; a file that is not there has no rows.

    Raises
    ------
    ValueError
        The columns are others, or a number is none.
    """
    if not path.exists():
        return {}
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        if tuple(rows.fieldnames or ()) != COLUMNS:
            raise ValueError(f"{path}: the columns should be {', '.join(COLUMNS)}")
        records = [_record(row) for row in rows]
    return {record.key: record for record in records}


def write_records(records: Iterable[Record], path: Path = FILE) -> None:
    """Write the file."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(astuple(record) for record in records)


def _record(row: dict[str, str]) -> Record:
    def number(column: str) -> int | None:
        return int(row[column]) if row[column] else None

    return Record(
        instance=row["instance"],
        objective=row["objective"],
        cost_ns=int(row["cost_ns"]),
        bound_ns=int(row["bound_ns"]),
        bound=row["bound"],
        proven=row["proven"],
        method=row["method"],
        options=row["options"],
        version=row["version"],
        normal_cost_ns=number("normal_cost_ns"),
        normal_bound_ns=number("normal_bound_ns"),
    )
