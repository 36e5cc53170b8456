"""The form of a schedule document, `nobubble.schedule/1`.

A document is a plain dictionary, as it is read from JSON. Times are in the profile's time unit and
memory in its memory unit; numbers are int or Decimal, so that what is written is exact.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final, Literal, NotRequired

from typing_extensions import TypedDict

from nobubble.profile.model import Objective

SCHEMA: Final = "nobubble.schedule/1"

Number = int | float | Decimal
ComputeOp = Literal["F", "B", "W", "BW"]
TransferOp = Literal["SEND_F", "RECV_F", "SEND_B", "RECV_B"]
Status = Literal["optimal", "feasible"]
StoppedBy = Literal["proof", "completed", "time_limit"]


class Action(TypedDict):
    """One action of a rank.

    An op carries start and end. A transfer carries the peer rank, and the stage whose output is
    sent or whose input is received.
    """

    op: ComputeOp | TransferOp
    stage: int
    microbatch: int
    start: NotRequired[Number]
    end: NotRequired[Number]
    peer: NotRequired[int]


class RankActions(TypedDict):
    """The actions of one rank, in the order in which it runs them."""

    rank: int
    actions: list[Action]


class RankMetrics(TypedDict):
    """What one rank does in an iteration; the peak includes static memory."""

    rank: int
    busy: Number
    start: Number
    end: Number
    peak_memory: Number
    memory_limit: Number | None


class Metrics(TypedDict):
    """The figures of a schedule."""

    makespan: Number
    rank_span: Number
    bubble_rate: Number
    idle_rate: Number
    ranks: list[RankMetrics]


class Generator(TypedDict):
    """The program and the options that made a schedule."""

    name: str
    version: str
    options: dict[str, Any]


class ScheduleDocument(TypedDict):
    """A whole schedule document."""

    schema: Literal["nobubble.schedule/1"]
    profile: dict[str, Any]
    profile_sha256: str
    generator: Generator
    method: str
    stopped_by: StoppedBy
    status: Status
    objective: Objective
    requires: list[Literal["post_validation"]]
    cost: Number
    lower_bound: Number
    bound: str
    gap: Number
    metrics: Metrics
    placement: list[int]
    ranks: list[RankActions]
