"""Estimated times of a stage beside the published ones, and the efficiency that those show.

``python -m benchmarks.model_estimates``
"""

from __future__ import annotations

import argparse

from benchmarks.tables import print_table
from nobubble.estimates.from_model import Shape
from tests.published import row_name, table_rows


def main() -> None:
    """Print the table."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    lines = []
    for row in table_rows():
        shape = Shape(
            hidden=row["hidden"],
            layers=row["layers"],
            heads=row["heads"],
            sequence=row["sequence"],
            microbatch_size=row["microbatch_size"],
            vocabulary=50304,
            ranks=row["ranks"],
            microbatches=row["microbatches"],
        )
        # With the embedding and the head counted as a layer each, as the paper cuts its models.
        layers = (row["layers"] + 2) // row["ranks"]
        measured = [row["time_ms"][op] for op in "FBW"]
        times = [layers * time / 1e6 for time in shape.layer_times()]
        lines.append(
            [
                row_name(row),
                *(
                    f"{time:.1f} / {real:.1f} ({time / real - 1:+.0%})"
                    for time, real in zip(times, measured, strict=True)
                ),
                *(
                    f"{part * time / real:.2f}"
                    for part, time, real in zip(shape.efficiency, times, measured, strict=True)
                ),
                f"{shape.communication() / 1e6:.2f} / {row['time_ms']['comm']:.2f}",
            ]
        )
    head = [
        "ms, estimated / measured",
        "F",
        "B",
        "W",
        "of 312 TFLOP/s: F",
        "B",
        "W",
        "communication",
    ]
    print_table(head, lines)


if __name__ == "__main__":
    main()
