"""V placement against what is published, and all families where memory is short.

1. The nine ZB-V cells of the paper's table, in 1F1B's memory.
2. V-Half and V-Min, and what auto finds in the memory of each.
3. The 6.2B and 14.6B models in half, a third and a quarter of 1F1B's memory, and in that of V-Half
   and V-Min: linear, interleaved and V placement.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from benchmarks.options import OBJECTIVES, Options, nanoseconds, parser
from benchmarks.tables import announced, print_table
from nobubble.errors import InfeasibleError, MethodError
from nobubble.methods import NAMED_SCHEDULES
from nobubble.problem import Problem
from nobubble.profile.model import Objective, Profile
from nobubble.schedule.document import ScheduleDocument
from nobubble.solvers.named import named_solution
from tests.bounds.problems import v_rows
from tests.published import (
    HALF,
    V_UNIT,
    bubble,
    row_name,
    table_rows,
    uniform,
    v,
    v_family,
    v_row_profile,
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the three tables, each for both objectives."""
    given = parser(__doc__)
    given.add_argument(
        "--table", type=int, choices=(1, 2, 3), action="append", help="only this one (repeatable)"
    )
    read = given.parse_args(arguments)
    options = Options.of(read)
    for number, table in enumerate((_zb_v, _half_and_min, _short_of_memory), start=1):
        if read.table is None or number in read.table:
            for objective in OBJECTIVES:
                table(objective, options)


def _zb_v(objective: Objective, options: Options) -> None:
    rows = []
    for row in announced(v_rows(), lambda row: f"ZB-V p{row['ranks']} m{row['microbatches']}"):
        profile = v_row_profile(row, objective=objective)
        named = named_solution(profile, Problem.of(profile), "zb-v")
        here = bubble(profile, named.timing.cost(Problem.of(profile)))
        published = f"{row['bubble']['zb-v']:.4f}" if objective == "rank_span" else "-"
        name = f"p={row['ranks']} m={row['microbatches']}"
        rows.append([name, published, f"{here:.4f}", *_solved(profile, options)])
    _print(f"ZB-V in 1F1B's memory, {objective}", ["published", "zb-v"], rows, options)


def _half_and_min(objective: Objective, options: Options) -> None:
    rows = []
    for ranks, microbatches in announced(list(v_family()), lambda key: f"V-Half, V-Min {key}"):
        for name, (published, peak) in v_family()[ranks, microbatches].items():
            limit = 4 * HALF * peak
            profile = v(
                uniform(ranks, microbatches, V_UNIT, 1, chunks=2, limit=limit, objective=objective)
            )
            problem = Problem.of(profile)
            timing = named_solution(profile, problem, name).timing
            rows.append(
                [
                    f"{name} p={ranks} m={microbatches}",
                    f"{published:.4f}",
                    f"{bubble(profile, timing.cost(problem)):.4f}",
                    f"{timing.peak_memory.max() // HALF}/{4 * ranks}",
                    *_solved(profile, options),
                ]
            )
    _print(f"V-Half and V-Min, {objective}", ["published", "here", "peak"], rows, options)


def _short_of_memory(objective: Objective, options: Options) -> None:
    rows = []
    chosen = [row for row in table_rows() if row["model"] in ("6.2B", "14.6B")]
    for row in announced(chosen, row_name):
        p = row["ranks"]
        parts = {
            "V-Half's": (p + 2) // 2 / p,
            "1/2": 1 / 2,
            "V-Min's": (p + 4) // 3 / p,
            "1/3": 1 / 3,
            "1/4": 1 / 4,
        }
        for label, part in parts.items():
            best_named = min(_named(row, part, objective), default=(1.0, "none fits"))
            found = {}
            for family, profile in _families(row, part, objective):
                document = _tried(profile, options)
                if document is not None:
                    found[family] = (bubble(profile, nanoseconds(document)), document)
            family = min(found, key=lambda family: found[family][0])
            cost, document = found[family]
            rows.append(
                [
                    f"{row_name(row)} {label}",
                    f"{best_named[0]:.4f} {best_named[1]}" if best_named[0] < 1 else "none fits",
                    *(f"{found[name][0]:.4f}" if name in found else "-" for name in FAMILIES),
                    f"{cost:.4f} {family}",
                    f"{float(document['gap']):.2%}",
                    document["method"],
                ]
            )
    print(f"\nShort of memory, {objective}, {options}: bubble\n")
    print_table(["", "named", *FAMILIES, "best", "gap", "found by"], rows)


FAMILIES = ("linear", "interleaved-2", "interleaved-4", "v")


def _families(
    row: dict[str, Any], part: float, objective: Objective
) -> Iterator[tuple[str, Profile]]:
    """Give a row in each family, with a part of 1F1B's memory."""
    p = row["ranks"]
    times = [round(row["time_ms"][key] * 10**6) for key in ("F", "B", "W")]
    latency = round(row["time_ms"]["comm"] * 10**6)
    for family, chunks in zip(FAMILIES, (1, 2, 4, 2), strict=True):
        f, b, w = (round(time / chunks) for time in times)
        limit = int(part * 2 * HALF * p * chunks + 1e-9)
        profile = uniform(
            p, row["microbatches"], (f, b, w), latency, chunks=chunks, limit=limit,
            objective=objective,
        )  # fmt: skip
        yield family, v(profile) if family == "v" else profile


def _named(row: dict[str, Any], part: float, objective: Objective) -> Iterator[tuple[float, str]]:
    """Give the bubbles of the named schedules that fit."""
    for _, profile in _families(row, part, objective):
        problem = Problem.of(profile)
        for name in NAMED_SCHEDULES:
            try:
                solution = named_solution(profile, problem, name)
            except (InfeasibleError, MethodError):
                continue
            yield bubble(profile, solution.timing.cost(problem)), name


def _tried(profile: Profile, options: Options) -> ScheduleDocument | None:
    """Solve a profile; None where a microbatch does not fit."""
    try:
        return options.solve(profile)
    except InfeasibleError:
        return None


def _solved(profile: Profile, options: Options) -> list[str]:
    """Solve a profile, and describe the answer."""
    begun = time.monotonic()
    document = options.solve(profile)
    seconds = time.monotonic() - begun
    return [
        f"{bubble(profile, nanoseconds(document)):.4f}",
        f"{bubble(profile, nanoseconds(document, 'lower_bound')):.4f}",
        f"{float(document['gap']):.2%}",
        document["method"],
        f"{seconds:.1f}",
    ]


def _print(title: str, head: list[str], rows: list[list[str]], options: Options) -> None:
    print(f"\n{title}, {options}: bubble\n")
    print_table(["", *head, "auto", "its bound", "gap", "found by", "seconds"], rows)


if __name__ == "__main__":
    main()
