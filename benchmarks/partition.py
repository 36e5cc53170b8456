"""A model of 32 layers with an embedding and a head: the even split against the chosen one.

``python -m benchmarks.partition``
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import Final

from benchmarks.tables import announced, print_table
from nobubble.comparison.families import families
from nobubble.partition.choosing import choose_partition
from nobubble.partition.splits import even_split
from nobubble.profile.layered import LayeredModel
from nobubble.profile.reading import read_model
from nobubble.solve import solve

PROFILE: Final = Path(__file__).parents[1] / "profiles" / "layers-32.yaml"


def rows(model: LayeredModel) -> list[list[str]]:
    """Give a row for every family: the cost of the even split, and of the chosen one."""
    result = []
    for family in announced(families(model)[0], lambda family: f"p={model.ranks} {family.name}"):
        kinds = [(layer.costs, layer.static_memory) for layer in model.layers]
        even = even_split(kinds, len(family.placement))
        choice = choose_partition(model, family.placement)
        before, after = (
            solve(model.profile(family.placement, partition))
            for partition in (even, choice.partition)
        )
        gain = 1 - float(after["cost"]) / float(before["cost"])
        result.append(
            [
                str(model.ranks),
                family.name,
                f"{before['cost']}",
                f"{after['cost']}",
                f"{100 * gain:.2f} %",
                f"{100 * float(after['gap']):.2f} %",
                "-".join(map(str, choice.partition)),
            ]
        )
    return result


def main() -> None:
    """Print the table."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    model = replace(read_model(PROFILE), partition=None)
    header = ["p", "family", "even, ms", "chosen, ms", "gain", "gap", "layers of every stage"]
    lines = []
    for ranks in (4, 8, 16):
        wider = replace(
            model,
            ranks=ranks,
            microbatches=3 * ranks,
            memory_limit=(None,) * ranks,
            static_memory=(model.static_memory[0],) * ranks,
            placement=None,
        )
        lines += rows(wider)
    print_table(header, lines)


if __name__ == "__main__":
    main()
