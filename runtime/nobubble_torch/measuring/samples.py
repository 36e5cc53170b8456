"""What is measured of the ops of one rank: how long they run, and what they hold."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

from nobubble_torch.clocks import Clock

Key = tuple[str, int]
"""Op and stage."""


class Held(NamedTuple):
    """Bytes that are allocated before an op, at most while it runs, and when the next begins."""

    before: int
    peak: int
    after: int


class DurationObserver:
    """Keeps how long every op runs, in ns."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._marks: list[Any] = []
        self._keys: list[Key] = []
        self.durations: dict[Key, list[int]] = defaultdict(list)

    def step_begins(self) -> None:
        """Tie the step to the clock."""
        self._clock.begin_step()
        self._marks, self._keys = [], []

    def step_ends(self) -> None:
        """Read the step's marks."""
        times = self._clock.times(self._marks)
        for place, key in enumerate(self._keys):
            self.durations[key].append(times[2 * place + 1] - times[2 * place])

    def begins_again(self) -> None:
        """Never happens: nothing steps while it is measured."""

    def op_begins(self, op: str, stage: int, microbatch: int | None) -> None:
        """Mark it."""
        self._keys.append((op, stage))
        self._marks.append(self._clock.mark())

    def op_ends(self, op: str, stage: int, microbatch: int | None) -> None:
        """Mark it."""
        self._marks.append(self._clock.mark())

    def posted(self, op: str, stage: int, microbatch: int) -> None:
        """Pass over it."""
