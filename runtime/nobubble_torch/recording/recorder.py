"""Keeping the times of one rank's actions, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from nobubble_torch.clocks import Clock
from nobubble_torch.document import Action


@dataclass(slots=True)
class Step:
    """One rank's part of a step; times in ns of this rank's host.

    Attributes
    ----------
    number : int
    start, end : int
        Of the call of the runtime's step.
    actions : list of dict
        As in the run document, with these times.
    """

    number: int
    start: int = 0
    end: int = 0
    actions: list[dict[str, Any]] = field(default_factory=list)


class Recorder:
    """Observes a runtime, and keeps what it sees.

    Parameters
    ----------
    clock : Clock
    placement : sequence of int
        The rank of every stage.
    discard : int
        How many steps to pass over first.
    """

    def __init__(self, clock: Clock, placement: Sequence[int], discard: int) -> None:
        self._clock = clock
        self._placement = placement
        self._left_to_discard = discard
        self._number = 0
        self._marks: list[Any] = []
        self._actions: list[dict[str, Any]] = []
        self.steps: list[Step] = []

    def step_begins(self) -> None:
        """Begin a step."""
        self._clock.begin_step()
        self._marks = [self._clock.mark()]
        self._actions = []

    def step_ends(self) -> None:
        """End it, and read the clock's marks."""
        self._marks.append(self._clock.mark())
        number = self._number
        self._number += 1
        if number < self._left_to_discard:
            return
        times = self._clock.times(self._marks)
        for action in self._actions:
            action["start"] = times[action["start"]]
            if "end" in action:
                action["end"] = times[action["end"]]
        self.steps.append(Step(number, times[0], times[-1], self._actions))

    def begins_again(self) -> None:
        """Forget the step's actions so far: they are run again, and the step began when it did."""
        self._actions = []

    def op_begins(self, op: str, stage: int, microbatch: int | None) -> None:
        """Note the op and its start."""
        action: dict[str, Any] = {"op": op, "stage": stage}
        if microbatch is not None:
            action["microbatch"] = microbatch
        action["start"] = self._mark()
        self._actions.append(action)

    def op_ends(self, op: str, stage: int, microbatch: int | None) -> None:
        """Note its end: ops do not overlap, and transfers are posted between them."""
        self._actions[-1]["end"] = self._mark()

    def posted(self, op: str, stage: int, microbatch: int) -> None:
        """Note a transfer."""
        neighbour = stage + (1 if op in ("SEND_F", "RECV_B") else -1)
        action = Action(op, stage, microbatch, self._placement[neighbour])
        self._actions.append({**action._asdict(), "start": self._mark()})

    def _mark(self) -> int:
        """Mark this moment; give the mark's place."""
        self._marks.append(self._clock.mark())
        return len(self._marks) - 1
