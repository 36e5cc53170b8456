"""With which options a committed schedule is held against a new solve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from nobubble.methods import EFFORTS, Effort, is_method
from nobubble_cli.solve_options import SolveOptions

if TYPE_CHECKING:
    from nobubble.schedule.document import ScheduleDocument

_MOST_SEED = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Choices:
    """What the user chose on the command line; None is what the schedule itself records."""

    method: str | None = None
    effort: Effort | None = None
    seed: int | None = None
    time_limit: float | None = None

    def options(self, committed: ScheduleDocument | None) -> SolveOptions:
        """Give the options for a schedule, None for one that is to be made.

        What a schedule records and this nobubble does not know counts as not recorded.
        """
        recorded = {} if committed is None else committed["generator"]["options"]
        default = SolveOptions()
        method, effort = recorded.get("method"), recorded.get("effort")
        seed = recorded.get("seed")
        if not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed <= _MOST_SEED:
            seed = default.seed
        return SolveOptions(
            method=self.method or (str(method) if is_method(str(method)) else default.method),
            effort=self.effort or (cast(Effort, effort) if effort in EFFORTS else default.effort),
            seed=self.seed if self.seed is not None else seed,
            time_limit=self.time_limit,
            ignore_memory_limit=recorded.get("ignore_memory_limit") is True,
        )
