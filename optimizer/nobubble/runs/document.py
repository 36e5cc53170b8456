"""The form of a run document, `nobubble.run/1`: what nobubble_torch.record writes.

The text under a key is its description in the JSON Schema.
"""

from __future__ import annotations

from typing import Any, Final, Literal, NotRequired

from typing_extensions import TypedDict

from nobubble.schedule.document import Index, Number

SCHEMA: Final = "nobubble.run/1"


class RunAction(TypedDict):
    """Something that a rank did."""

    op: str
    """F, B, W, BW; SEND_F, RECV_F, SEND_B, RECV_B; REDUCE_GRAD; others are passed over."""
    stage: Index
    """The stage that it is of."""
    microbatch: NotRequired[Index]
    """The microbatch; REDUCE_GRAD has none."""
    peer: NotRequired[Index]
    """The other rank of a transfer."""
    start: Number
    """When an op began, its inputs being there, or a transfer was posted."""
    end: NotRequired[Number]
    """When an op ended; transfers have none."""


class RunRank(TypedDict):
    """What one rank did in a step, since the start of the step's first op on any rank."""

    rank: Index
    """The rank: its place in the list."""
    start: Number
    """When the runtime's step was called."""
    end: Number
    """When it returned."""
    actions: list[RunAction]
    """In the order in which it ran them."""


class RunStep(TypedDict):
    """One recorded step."""

    step: Index
    """Its number."""
    start: Number
    """When its first op began, since the first op of the first recorded step."""
    ranks: list[RunRank]
    """What every rank did, from rank 0 on."""


class RunSchedule(TypedDict):
    """Which schedule ran."""

    actions_sha256: str
    """Of its ops and transfers, without times."""
    profile_sha256: str | None
    """As in the schedule; null where it came from elsewhere."""


class RunClock(TypedDict):
    """How far the clocks of the ranks can be trusted."""

    shared: bool
    """Whether all ranks read one clock."""
    uncertainty: Number
    """By how much two clocks may differ."""


class RunDocument(TypedDict):
    """What a training runtime really did, in one or more iterations of a schedule."""

    schema: Literal["nobubble.run/1"]
    """The name and the version of this format."""
    generator: dict[str, Any]
    """What recorded it: name and version."""
    schedule: RunSchedule
    """Which schedule ran."""
    time_unit: Literal["s", "ms", "us", "ns"]
    """Of every time."""
    microbatches: Index
    """How many."""
    placement: list[Index]
    """The rank of every stage."""
    clock: RunClock
    """How far the clocks can be trusted."""
    steps: list[RunStep]
    """The recorded steps, in order."""
