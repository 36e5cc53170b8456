"""The written form of `nobubble.profile/1`: its keys, and the shape of what stands under each.

Whether the parts fit each other is checked in `nobubble.profile.completing`. Which keys were
given is in ``model_fields_set``; the defaults here never stand for null.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, ClassVar

from pydantic import (
    ConfigDict,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    WithJsonSchema,
)

from nobubble.profile.figures import choice, count, quantity, schema_name, title
from nobubble.profile.limits import MAX_MICROBATCHES, MAX_RANKS, MAX_STAGES
from nobubble.profile.written_stages import (
    NO_NEGATIVE,
    PRINTABLE,
    LayerCount,
    StaticMemory,
    Written,
    WrittenLayer,
    WrittenStage,
    integer,
)
from nobubble.units import MEMORY_UNITS, TIME_UNITS

PROFILE_SCHEMA = "nobubble.profile/1"

ONE, MANY, PARTED = "<one>", "<list>", "<object>"
"""Which form of a value that has several was given; in pydantic's paths, not in the user's."""


def _form(value: object) -> str:
    """Tell which form of a value was given."""
    if isinstance(value, Mapping):
        return PARTED
    return MANY if isinstance(value, list | tuple) else ONE


def _one_or_many(value: object) -> str:
    return MANY if isinstance(value, list | tuple) else ONE


CommunicationTime = Annotated[
    Decimal,
    PlainValidator(quantity("time", "a communication time is a number >= 0{unit}")),
    WithJsonSchema(NO_NEGATIVE),
]
MemoryLimit = Annotated[
    Decimal | None,
    PlainValidator(
        quantity("memory", "a memory limit is a number >= 0{unit}, or null for none", null=True)
    ),
    WithJsonSchema({"type": ["number", "null"], "minimum": 0}),
]
RankNumber = Annotated[
    int,
    PlainValidator(count("a rank", 0, MAX_RANKS - 1)),
    WithJsonSchema(integer(0, MAX_RANKS - 1)),
]

_PLACEMENTS = ("linear", "interleaved", "v")
_OBJECTIVES = ("makespan", "rank_span")

NamedPlacement = Annotated[
    str,
    PlainValidator(
        choice("a placement", _PLACEMENTS, besides=", or a list with the rank of every stage")
    ),
    WithJsonSchema({"enum": list(_PLACEMENTS)}),
]

PerBoundary = Annotated[
    Annotated[CommunicationTime, Tag(ONE)] | Annotated[list[CommunicationTime], Tag(MANY)],
    Discriminator(_one_or_many),
]


class WrittenCommunication(Written):
    """Communication times, one way and the other."""

    F: PerBoundary = Field(
        description="For activations, from stage s to s + 1: a number, or a list with one for "
        "each of the S - 1 boundaries, in time_unit."
    )
    B: PerBoundary = Field(
        description="For gradients, from stage s + 1 back to s: a number, or a list with one for "
        "each of the S - 1 boundaries, in time_unit."
    )


class WrittenProfile(Written):
    """What a pipeline-parallel training iteration takes, as measured."""

    model_config: ClassVar[ConfigDict] = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["stages"]}, {"required": ["layers"]}]}
    )

    schema_: Annotated[
        str,
        PlainValidator(schema_name(PROFILE_SCHEMA)),
        WithJsonSchema({"const": PROFILE_SCHEMA}),
    ] = Field(alias="schema", description="The name and the version of this format.")
    name: Annotated[
        str | None,
        PlainValidator(title),
        WithJsonSchema(PRINTABLE),
    ] = Field(
        default=None,
        description="What you call the profile. It changes nothing.",
    )
    time_unit: Annotated[
        str,
        PlainValidator(choice("a time unit", tuple(TIME_UNITS))),
        WithJsonSchema({"enum": list(TIME_UNITS)}),
    ] = Field(description="The unit of every time.")
    memory_unit: Annotated[
        str,
        PlainValidator(choice("a memory unit", tuple(MEMORY_UNITS))),
        WithJsonSchema({"enum": list(MEMORY_UNITS)}),
    ] = Field(
        default="B",
        description="The unit of every memory figure; needed where there is one. KB, MB, GB are "
        "powers of 1000; KiB, MiB, GiB of 1024.",
    )
    ranks: Annotated[
        int,
        PlainValidator(count("ranks", 1, MAX_RANKS)),
        WithJsonSchema(integer(1, MAX_RANKS)),
    ] = Field(description="How many pipeline positions there are, p.")
    microbatches: Annotated[
        int,
        PlainValidator(count("microbatches", 1, MAX_MICROBATCHES)),
        WithJsonSchema(integer(1, MAX_MICROBATCHES)),
    ] = Field(description="How many microbatches an iteration has, m.")
    chunks: Annotated[
        int,
        PlainValidator(count("chunks", 1, MAX_STAGES)),
        WithJsonSchema(integer(1, MAX_STAGES)),
    ] = Field(
        default=1,
        description="Stages a rank, where neither the placement nor the list of stages says so: "
        "for one stage object and the interleaved placement.",
    )
    placement: Annotated[
        Annotated[NamedPlacement, Tag(ONE)] | Annotated[list[RankNumber], Tag(MANY)],
        Discriminator(_one_or_many),
    ] = Field(
        default="linear",
        description="The rank of every stage: linear (stage s on rank s), interleaved (s mod p), "
        "v (s for s < p, else 2p - 1 - s; exactly 2p stages), or a list with the rank of every "
        "stage. Every rank has at least one stage. By default linear, when there are as many "
        "stages as ranks.",
    )
    stages: Annotated[
        Annotated[WrittenStage, Tag(ONE)]
        | Annotated[list[WrittenStage], Field(min_length=1, max_length=MAX_STAGES), Tag(MANY)],
        Discriminator(_one_or_many),
    ] = Field(
        default_factory=list,
        description="One object for every stage, in forward order; or a single object, or a list "
        "of one, for all. Or give layers.",
    )
    layers: Annotated[list[WrittenLayer], Field(min_length=1, max_length=MAX_STAGES)] = Field(
        default_factory=list,
        description="In place of stages: one object for every layer of the model, in forward "
        "order, embedding and head among them. A stage is a run of layers.",
    )
    partition: list[LayerCount] = Field(
        default_factory=list,
        description="How many layers every stage has, in forward order, all layers in all. By "
        "default such that the busiest rank has as little work as possible. Beside stages it "
        "tells what they were made of, and changes nothing.",
    )
    communication: Annotated[
        Annotated[CommunicationTime, Tag(ONE)]
        | Annotated[list[CommunicationTime], Tag(MANY)]
        | Annotated[WrittenCommunication, Tag(PARTED)],
        Discriminator(_form),
    ] = Field(
        default=Decimal(0),
        description="The time between the end of an op and the start of the op on another rank "
        "that depends on it, in time_unit: a number; a list of S - 1 numbers (stage s to s + 1); "
        "or an object with F and B, each of either. Between stages of one rank it is 0, whatever "
        "stands here. With layers, lists have one for each boundary between layers. 0 by default.",
        json_schema_extra={"default": 0},
    )
    memory_limit: Annotated[
        Annotated[MemoryLimit, Tag(ONE)] | Annotated[list[MemoryLimit], Tag(MANY)],
        Discriminator(_one_or_many),
    ] = Field(
        default=None,
        description="The highest memory of every rank, static memory included, in memory_unit: a "
        "number, or a list with one for every rank; null is no limit. No limit by default.",
        json_schema_extra={"default": None},
    )
    static_memory: Annotated[
        Annotated[StaticMemory, Tag(ONE)] | Annotated[list[StaticMemory], Tag(MANY)],
        Discriminator(_one_or_many),
    ] = Field(
        default=Decimal(0),
        description="Memory that is held throughout (weights, optimizer state), in memory_unit: a "
        "number, or a list with one for every rank. 0 by default.",
        json_schema_extra={"default": 0},
    )
    objective: Annotated[
        str,
        PlainValidator(choice("an objective", _OBJECTIVES)),
        WithJsonSchema({"enum": list(_OBJECTIVES)}),
    ] = Field(
        default="makespan",
        description="makespan: from the first start to the last end over all ranks, where the "
        "optimizer step waits for all of them; rank_span: the longest span of a single rank, "
        "where every rank may begin the next iteration as soon as it has finished its own. "
        "makespan by default.",
        json_schema_extra={"default": "makespan"},
    )
