"""One schedule of every sort that is drawn in its own way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from nobubble.schedule.document import ScheduleDocument
from tests.pictures.documents import (
    MIB,
    MS,
    document_of,
    linear_document,
    one_f_one_b,
    profile_of,
    stage_of,
    v_document,
    zb_h1,
)

HOSTILE: Final = "</script><script>alert('&amp;')</script>\x1b[31m]]> {{data}} \u2028 \"'"
"""A profile's name that breaks out of whatever does not escape it."""


def of_rank_span() -> ScheduleDocument:
    """Make a schedule for rank span that is over its memory limit, in microseconds and MB."""
    profile = profile_of(
        [stage_of()] * 4,
        6,
        memory_limit=300 * MIB,
        name=None,
        objective="rank_span",
        units=("us", "MB"),
    )
    return document_of(profile, zb_h1(4, 6), bound=100 * MS)


def with_empty_stages() -> ScheduleDocument:
    """Make a schedule of which one stage takes no time, and another no time in B."""
    stages = [stage_of(), stage_of(0, 0, 0, 0), stage_of(), stage_of(backward=0)]
    return document_of(profile_of(stages, 6, memory_limit=2000 * MIB), zb_h1(4, 6))


def of_no_time() -> ScheduleDocument:
    """Make a schedule that takes no time, and says nothing of memory."""
    profile = profile_of([stage_of(0, 0, 0, 0)] * 2, 3, communication=0)
    return document_of(profile, zb_h1(2, 3))


SCHEDULES: Final[dict[str, Callable[[], ScheduleDocument]]] = {
    "zb-h1": lambda: linear_document(8, 24),
    "1f1b": lambda: linear_document(4, 8, order=one_f_one_b, stage=stage_of(fused=True)),
    "v": lambda: v_document(4, 8),
    "fewer microbatches than ranks": lambda: linear_document(4, 3),
    "one microbatch": lambda: linear_document(4, 1),
    "one rank": lambda: linear_document(1, 6),
    "rank span": of_rank_span,
    "empty stages": with_empty_stages,
    "no time": of_no_time,
    "no limit": lambda: linear_document(2, 4, memory_limit=None),
    "crowded": lambda: linear_document(2, 1200),
    "hostile name": lambda: linear_document(2, 2, name=HOSTILE),
}
