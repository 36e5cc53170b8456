"""The figures of replays side by side, and how their samples are spread."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

BARS = 12
WIDTH = 50


def replay_summary(names: Sequence[str], reports: Sequence[dict[str, Any]]) -> list[str]:
    """Give the figures of one or more replays, a column for each.

    Parameters
    ----------
    names : sequence of str
        What the schedules are called.
    reports : sequence of dict
        See `nobubble.replay.report`.
    """
    columns = [
        _column(name, report, _decimals(report))
        for name, report in zip(names, reports, strict=True)
    ]
    labels = (
        *("schedule", "method", "plan", "mean", "  increase", "  of work", "  of order"),
        *("sd", "5 %", "50 %", "95 %", "99 %", "highest", "critical"),
    )
    rows = [[label, *(column[row] for column in columns)] for row, label in enumerate(labels)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _column(name: str, report: dict[str, Any], decimals: int) -> list[str]:
    unit, cost, increase = report["time_unit"], report["cost"], report["increase"]
    ranks: list[float] = report["critical"]["ranks"]
    highest = max(range(len(ranks)), key=lambda rank: ranks[rank])

    def time(value: float) -> str:
        return f"{value:.{decimals}f} {unit}"

    return [
        name,
        report["method"],
        f"{time(report['plan'])} ({report['objective']})",
        time(cost["mean"]),
        _percent(increase["mean"]),
        _percent(increase["work"]),
        _percent(increase["order"]),
        time(cost["sd"]),
        *(time(cost[key]) for key in ("p5", "p50", "p95", "p99", "max")),
        f"rank {highest}, {100 * ranks[highest]:.1f} % of the cost",
    ]


def histogram(samples: Sequence[int], report: dict[str, Any]) -> list[str]:
    """Give the number of samples in equal steps of cost, as bars.

    Parameters
    ----------
    samples : sequence of int
        The costs, in ns.
    report : dict
        Of the same replay.
    """
    lowest, highest = min(samples), max(samples)
    if lowest == highest:
        return []
    counts = [0] * BARS
    for cost in samples:
        counts[min(BARS * (cost - lowest) // (highest - lowest), BARS - 1)] += 1
    least, most = (float(report["cost"][key]) for key in ("min", "max"))
    decimals = _decimals(report)
    edges = [f"{least + bar * (most - least) / BARS:.{decimals}f}" for bar in range(BARS)]
    width, unit, highest_count = max(map(len, edges)), report["time_unit"], max(counts)
    return [
        f"{edge:>{width}} {unit}  {'#' * -(-WIDTH * count // highest_count)}".rstrip()
        for edge, count in zip(edges, counts, strict=True)
    ]


def _decimals(report: dict[str, Any]) -> int:
    """Give how many decimals make about seven digits of a cost."""
    return max(0, 7 - len(str(int(report["cost"]["max"]))))


def _percent(rate: float) -> str:
    return f"{100 * rate:+.2f} %"
