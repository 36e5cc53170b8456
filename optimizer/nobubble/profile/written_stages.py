"""The written form of what a model is made of: stages, or layers, and the ops of each."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, WithJsonSchema

from nobubble.profile.figures import choice, count, quantity, title
from nobubble.profile.limits import MAX_STAGES

_ANY_NUMBER: dict[str, Any] = {"type": "number"}
NO_NEGATIVE: dict[str, Any] = {"type": "number", "minimum": 0}


def integer(lowest: int, highest: int) -> dict[str, Any]:
    """Give the JSON Schema of an integer within limits."""
    return {"type": "integer", "minimum": lowest, "maximum": highest}


Time = Annotated[
    Decimal,
    PlainValidator(quantity("time", "a time is a number >= 0{unit}")),
    WithJsonSchema(NO_NEGATIVE),
]
MemoryChange = Annotated[
    Decimal,
    PlainValidator(
        quantity(
            "memory",
            "an op's memory is a number{unit} (negative: memory given back)",
            signed=True,
        )
    ),
    WithJsonSchema(_ANY_NUMBER),
]
Workspace = Annotated[
    Decimal,
    PlainValidator(quantity("memory", "a workspace is a number >= 0{unit}")),
    WithJsonSchema(NO_NEGATIVE),
]
StaticMemory = Annotated[
    Decimal,
    PlainValidator(quantity("memory", "static memory is a number >= 0{unit}")),
    WithJsonSchema(NO_NEGATIVE),
]
PRINTABLE: dict[str, Any] = {
    "type": ["string", "null"],
    "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]*$",
}

LayerCount = Annotated[
    int,
    PlainValidator(count("a number of layers", 1, MAX_STAGES)),
    WithJsonSchema(integer(1, MAX_STAGES)),
]

_BACKWARDS = ("split", "fused", "auto")


class Written(BaseModel):
    """An object without unknown keys."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", frozen=True)


class WrittenOp(Written):
    """What one op of a stage takes."""

    time: Time = Field(description="How long the op runs, in time_unit.")
    memory: MemoryChange = Field(
        default=Decimal(0),
        description="What the op adds to its rank's activation memory, in memory_unit: an "
        "increase counts from the op's start, a decrease (negative) from its end. 0 by default. "
        "F + B + W, and F + BW, are exactly 0 as written; F, and F + B, are not negative.",
        json_schema_extra={"default": 0},
    )
    workspace: Workspace = Field(
        default=Decimal(0),
        description="Memory needed only while the op runs, on top, in memory_unit. 0 by default.",
        json_schema_extra={"default": 0},
    )


class WrittenFusedOp(Written):
    """What the backward takes that is not split; where left out, it follows from B and W."""

    time: Time = Field(
        default=Decimal(0),
        description="How long the op runs, in time_unit. B's time + W's by default.",
    )
    memory: MemoryChange = Field(
        default=Decimal(0),
        description="The memory that it gives back (negative), in memory_unit. B's + W's by "
        "default.",
    )
    workspace: Workspace = Field(
        default=Decimal(0),
        description="Memory needed only while it runs, in memory_unit. By default B's memory if "
        "it is positive, plus the larger workspace of B and W.",
    )


class WrittenStage(Written):
    """One stage."""

    F: WrittenOp = Field(description="The forward pass.")
    B: WrittenOp = Field(description="The backward pass for the inputs.")
    W: WrittenOp = Field(description="The backward pass for the weights.")
    BW: WrittenFusedOp = Field(
        default_factory=WrittenFusedOp,
        description="The backward pass that is not split: B and W at once.",
    )
    backward: Annotated[
        str,
        PlainValidator(choice("a way of running backward", _BACKWARDS)),
        WithJsonSchema({"enum": list(_BACKWARDS)}),
    ] = Field(
        default="split",
        description="split: always B and W; fused: always BW; auto: the solver chooses for every "
        "op. By default split, or auto where BW is given.",
    )


class WrittenLayer(WrittenStage):
    """One layer, or several equal ones in a row."""

    name: Annotated[
        str | None,
        PlainValidator(title),
        WithJsonSchema(PRINTABLE),
    ] = Field(default=None, description="What you call the layer. It changes nothing.")
    count: LayerCount = Field(
        default=1,
        description="How many such layers follow each other. 1 by default.",
        json_schema_extra={"default": 1},
    )
    static_memory: StaticMemory = Field(
        default=Decimal(0),
        description="Memory that each layer holds throughout (weights, gradients, optimizer "
        "state), in memory_unit, on the rank of its stage. 0 by default.",
        json_schema_extra={"default": 0},
    )
