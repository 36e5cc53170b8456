"""What a run tells while it works."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nobubble.schedule.document import ScheduleDocument


@dataclass(frozen=True, slots=True)
class Draft:
    """The best schedule so far.

    Attributes
    ----------
    method : str
        What found it.
    cost, lower_bound : int or Decimal
        In the profile's time unit.
    gap : float
        ``(cost - lower_bound) / cost``.
    document : callable
        Gives its document, verified, as the run would if it were stopped now: `stopped_by` says
        so.
    """

    method: str
    cost: int | Decimal
    lower_bound: int | Decimal
    gap: float
    document: Callable[[], ScheduleDocument]


@dataclass(frozen=True, slots=True)
class Progress:
    """What happened, as a line of text and, once there is a schedule, as figures."""

    text: str
    draft: Draft | None

    def __str__(self) -> str:
        """Give the line."""
        return self.text
