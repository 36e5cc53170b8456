"""Jobs as a table."""

from __future__ import annotations

from collections.abc import Sequence

from nobubble_cli.client.jobs import Job
from nobubble_cli.client.problems import plain

_HEADINGS = ("job", "state", "method", "cost", "gap", "created", "name", "tags")


def job_table(jobs: Sequence[Job]) -> list[str]:
    """Give a heading and a line for every job; the cost is in the unit of the job's profile."""
    rows = [_HEADINGS, *map(_row, jobs)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def _row(job: Job) -> tuple[str, ...]:
    progress = job["progress"] or {}
    options = job.get("options")
    asked = options.get("method", "") if isinstance(options, dict) else ""
    gap = progress.get("gap")
    tags = job.get("tags")
    cells = (
        job["id"],
        job["state"],
        progress.get("method", asked),
        progress.get("cost", ""),
        f"{100 * gap:.2f} %" if isinstance(gap, int | float) else "",
        # To the second.
        str(job.get("created_at", ""))[:19].replace("T", " "),
        job.get("name") or "",
        " ".join(map(str, tags)) if isinstance(tags, list) else "",
    )
    return tuple(" ".join(plain(cell).split()) for cell in cells)
