"""The form of a schedule document, `nobubble.schedule/1`.

A document is a plain dictionary, as it is read from JSON. Times are in the profile's time unit and
memory in its memory unit; numbers are int or Decimal, so that what is written is exact. The text
under a key is its description in the JSON Schema.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, Final, Literal, TypeAlias

from annotated_types import Ge, Le
from typing_extensions import TypedDict

from nobubble.profile.model import Objective

SCHEMA: Final = "nobubble.schedule/1"

MAX_INDEX: Final = 2**31 - 1
"""The highest rank, stage or microbatch that can be written."""

Number: TypeAlias = int | float | Decimal
Index: TypeAlias = Annotated[int, Ge(0), Le(MAX_INDEX)]
ComputeOp: TypeAlias = Literal["F", "B", "W", "BW"]
TransferOp: TypeAlias = Literal["SEND_F", "RECV_F", "SEND_B", "RECV_B"]
Status: TypeAlias = Literal["optimal", "feasible"]
StoppedBy: TypeAlias = Literal["proof", "completed", "work", "time_limit", "stopped"]


class ComputeAction(TypedDict):
    """An op: F, B, W, or BW, the backward that is not split."""

    op: ComputeOp
    """The kind of op."""
    stage: Index
    """The stage whose op it is."""
    microbatch: Index
    """The microbatch that it works on."""
    start: Number
    """When it starts, in the profile's time unit: as early as possible."""
    end: Number
    """When it ends, in the profile's time unit."""


class TransferAction(TypedDict):
    """A transfer of activations (F) or of gradients (B) between two ranks."""

    op: TransferOp
    """What the rank does, and with what."""
    stage: Index
    """The stage whose output is sent, or whose input is received."""
    microbatch: Index
    """The microbatch whose activations or gradients they are."""
    peer: Index
    """The other rank."""


Action: TypeAlias = ComputeAction | TransferAction


class RankActions(TypedDict):
    """The actions of one rank, in the order in which it runs them."""

    rank: Index
    """The rank: its place in the list."""
    actions: list[Action]
    """Its ops, with the transfers among them."""


class RankMetrics(TypedDict):
    """What one rank does in an iteration."""

    rank: Index
    """The rank: its place in the list."""
    busy: Number
    """The sum of its op times."""
    start: Number
    """When its first op starts."""
    end: Number
    """When its last op ends."""
    peak_memory: Number
    """The most memory that it holds at any moment, static memory included."""
    memory_limit: Number | None
    """Its limit in the profile; null is no limit."""


class Metrics(TypedDict):
    """The figures of a schedule."""

    makespan: Number
    """From the first start to the last end over all ranks."""
    rank_span: Number
    """The longest, over ranks, of last end minus first start."""
    bubble_rate: Number
    """1 - (busy time of the busiest rank) / cost; 0 when the cost is 0."""
    idle_rate: Number
    """1 - (sum of busy times) / (ranks * cost); 0 when the cost is 0."""
    ranks: list[RankMetrics]
    """The figures of every rank, from rank 0 on."""


class Generator(TypedDict):
    """The program and the options that made a schedule."""

    name: str
    """The program's name."""
    version: str
    """The program's version."""
    options: dict[str, Any]
    """What it was asked for, such as method and seed."""


class ScheduleDocument(TypedDict):
    """When every rank of a pipeline runs which op, and how far that is from the best possible."""

    schema: Literal["nobubble.schedule/1"]
    """The name and the version of this format."""
    profile: dict[str, Any]
    """The profile as solved, complete: a `nobubble.profile/1`."""
    profile_sha256: str
    """Of the profile's canonical form."""
    generator: Generator
    """What made the schedule."""
    method: str
    """What found the schedule."""
    stopped_by: StoppedBy
    """What ended the search for a better one."""
    status: Status
    """optimal: the cost equals the lower bound; feasible: it may or may not be the least."""
    objective: Objective
    """What the cost is: makespan or rank_span, as in the profile."""
    requires: list[Literal["post_validation"]]
    """What the runtime must offer: post_validation where the objective is rank_span."""
    cost: Number
    """The value of the objective, in the profile's time unit."""
    lower_bound: Number
    """No schedule of the profile can cost less."""
    bound: str
    """The name of the argument that proves the lower bound."""
    gap: Number
    """(cost - lower_bound) / cost; 0 when the cost is 0."""
    metrics: Metrics
    """The figures of the schedule."""
    placement: list[Index]
    """The rank of every stage."""
    ranks: list[RankActions]
    """What every rank does, from rank 0 on."""
