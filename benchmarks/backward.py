"""Backward split, fused, or as the solver chooses for every op: what each costs.

Three profiles: BW takes 0.85 of B and W; activation checkpointing, where splitting is very dear
(F 36, B 76, W 240, BW 88); and a first stage without input gradient, whose W is its whole backward.
``python -m benchmarks.backward``
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from benchmarks.options import Options, parser
from benchmarks.tables import announced, print_table
from nobubble.profile.model import Profile
from nobubble.profile.reading import parse_profile
from nobubble.schedule.document import ScheduleDocument

WAYS: Final = ("split", "fused", "auto")


def _op(f: float, b: float, w: float, bw: float) -> dict[str, Any]:
    return {
        "F": {"time": f, "memory": 2},
        "B": {"time": b, "memory": -1},
        "W": {"time": w, "memory": -1},
        "BW": {"time": bw},
    }


CHEAPER: Final = _op(20, 20, 16, 30.6)
STAGES: Final[dict[str, tuple[dict[str, Any], dict[str, Any]]]] = {
    "BW = 0.85 (B + W)": (CHEAPER, CHEAPER),
    "checkpointing": (_op(36, 76, 240, 88), _op(36, 76, 240, 88)),
    "first stage without B": (
        {**_op(20, 0, 34, 31), "B": {"time": 0}, "W": {"time": 34, "memory": -2}},
        CHEAPER,
    ),
}
"""Of every profile the first stage, and the others."""


def profiles(name: str, ranks: int, times_1f1b: float, placement: str) -> dict[str, Profile]:
    """Give a profile in which every stage runs backward each way.

    Parameters
    ----------
    name : str
        One of `STAGES`.
    ranks : int
    times_1f1b : float
        The memory limit, in that of 1F1B.
    placement : {"linear", "v"}
        In a V a stage is half of one.
    """
    first, other = STAGES[name]
    chunks = 2 if placement == "v" else 1
    found = {}
    for way in WAYS:
        stages = [{**stage, "backward": way} for stage in [first, *[other] * (chunks * ranks - 1)]]
        found[way] = parse_profile(
            {
                "schema": "nobubble.profile/1",
                "time_unit": "ms",
                "memory_unit": "GB",
                "ranks": ranks,
                "microbatches": 3 * ranks,
                "placement": placement,
                "stages": stages,
                "communication": 0.5,
                "memory_limit": 2 * chunks * ranks * times_1f1b,
            }
        )
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    options = Options.of(parser(__doc__).parse_args(arguments))
    cases = [
        (name, ranks, times, placement)
        for name in STAGES
        for placement, sizes in (("linear", (4, 8, 16)), ("v", (4, 8)))
        for ranks in sizes
        for times in (1.0, 2.0)
    ]
    rows = []
    for name, ranks, times, placement in announced(cases, str):
        made = {
            way: options.solve(profile)
            for way, profile in profiles(name, ranks, times, placement).items()
        }
        free = made["auto"]
        best = min(float(made[way]["cost"]) for way in ("split", "fused"))
        rows.append(
            [
                f"{name}, {placement}, p={ranks}, {times:g}x",
                *(f"{float(made[way]['cost']):.1f}" for way in WAYS),
                f"{1 - float(free['cost']) / best:+.2%}",
                f"{float(free['gap']):.2%}",
                f"{_fused(free):.0%}",
                free["method"],
            ]
        )
    head = ["ms", *WAYS, "auto gains", "gap", "fused", "found by"]
    print_table(head, rows)


def _fused(document: ScheduleDocument) -> float:
    """Give the part of backwards that is fused."""
    ops = [action["op"] for rank in document["ranks"] for action in rank["actions"]]
    return ops.count("BW") / (ops.count("BW") + ops.count("B"))


if __name__ == "__main__":
    main()
