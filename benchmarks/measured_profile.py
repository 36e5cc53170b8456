"""The measured profile under ever smaller memory limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchmarks.instances import PROFILES
from benchmarks.options import OBJECTIVES, Options, parser
from benchmarks.tables import announced, print_table
from nobubble.errors import InfeasibleError
from nobubble.profile.model import Profile
from nobubble.profile.reading import read_profile

MICROBATCH = 1240 * 10**6
"""Bytes that a microbatch holds on an inner stage."""
LIMITS = (16, 12, 8, 6, 5, 4, 3, 2, 1)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table for each objective, a row for each limit."""
    options = Options.of(parser(__doc__).parse_args(arguments))
    profile = read_profile(PROFILES / "measured-p8.json")
    for objective in OBJECTIVES:
        limits = announced(LIMITS, lambda limit: f"1240 MB x {limit}")
        rows = [_row(replace(profile, objective=objective), limit, options) for limit in limits]
        print(f"\n{objective}, {options}\n")
        print_table(
            ["limit", "cost (us)", "bubble", "gap", "1f1b, zb-h1, zb-auto", "method", "bound"],
            rows,
        )


def _row(profile: Profile, microbatches: int, options: Options) -> list[object]:
    limited = replace(profile, memory_limit=(microbatches * MICROBATCH,) * profile.ranks)
    document = options.solve(limited)
    others = []
    for method in ("1f1b", "zb-h1", "zb-auto"):
        try:
            bubble = options.solve(limited, method)["metrics"]["bubble_rate"]
        except InfeasibleError:
            others.append("-")
        else:
            others.append(f"{float(bubble):.4f}")
    return [
        f"1240 MB x {microbatches}",
        document["cost"],
        f"{float(document['metrics']['bubble_rate']):.4f}",
        f"{float(document['gap']):.3%}",
        ", ".join(others),
        document["method"],
        document["bound"],
    ]


if __name__ == "__main__":
    main()
