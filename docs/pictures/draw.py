"""Draw the pictures of the documentation: ``draw.py [DIR]``, by default into this folder."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from nobubble.comparison.sweep import sweep_memory
from nobubble.pictures.frontier import frontier_svg
from nobubble.pictures.svg import svg
from nobubble.profile.reading import read_model, read_profile
from nobubble.solve import solve

HERE = Path(__file__).resolve().parent
PROFILES = HERE.parents[1] / "profiles"
MEASURED = PROFILES / "measured-p8.json"
LAYERS = PROFILES / "layers-32.yaml"
FEW = 12
"""Microbatches: so few that every op can be seen."""
LESS = 6 * 1240 * 10**6
"""Bytes: three quarters of the profile's limit, and less than 1F1B needs."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw two schedules of the measured profile on one time axis, and a model's frontier.

    The schedules are 1F1B, and what is solved in less memory.
    """
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=HERE, metavar="DIR")
    folder = parser.parse_args(arguments).folder
    profile = replace(read_profile(MEASURED), microbatches=FEW)
    known = solve(profile, method="1f1b")
    solved = solve(replace(profile, memory_limit=(LESS,) * profile.ranks))
    frontier = sweep_memory(read_model(LAYERS), effort="fast", splitting="min-max")
    for name, picture in (
        ("1f1b.svg", svg(known, beside=solved)),
        ("solved.svg", svg(solved, beside=known)),
        ("frontier.svg", frontier_svg(frontier)),
    ):
        (folder / name).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
