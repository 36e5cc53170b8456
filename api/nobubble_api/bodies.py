"""The bodies that clients send."""

from __future__ import annotations

import unicodedata
from decimal import Decimal
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from nobubble.comparison.candidates import Splitting
from nobubble.methods import GROUPED_PATTERN, METHODS, Effort, is_method
from nobubble.profile.model import Objective
from nobubble.profile.wording import nearest


def _plain_number(value: object) -> object:
    """Give the exact decimals of the JSON reader as floats, where a float is wanted."""
    return float(value) if isinstance(value, Decimal) else value


def _plain_text(text: str) -> str:
    """Refuse what databases and terminals take badly: control characters, halves of pairs."""
    if any(unicodedata.category(character) in ("Cc", "Cs") for character in text):
        raise ValueError("text without control characters")
    return text


Name = Annotated[str, AfterValidator(_plain_text), Field(min_length=1, max_length=200)]
Tag = Annotated[str, AfterValidator(_plain_text), Field(min_length=1, max_length=100)]
Seconds = Annotated[float, BeforeValidator(_plain_number), Field(gt=0, allow_inf_nan=False)]


def _a_method(name: str) -> str:
    if not is_method(name):
        near = nearest(name, METHODS)
        raise ValueError(f"one of {', '.join(METHODS)}" + (f"; is {near} meant?" if near else ""))
    return name


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Options(_Strict):
    """How to solve; as the options of `nobubble solve`."""

    method: Annotated[
        str,
        AfterValidator(_a_method),
        Field(
            json_schema_extra={
                "anyOf": [{"enum": list(METHODS)}, {"pattern": f"^{GROUPED_PATTERN}$"}]
            }
        ),
    ] = "auto"
    objective: Objective | None = Field(default=None, description="In place of the profile's own.")
    effort: Effort = "normal"
    seed: int = Field(default=0, ge=0, le=2**32 - 1)
    time_limit: Seconds | None = Field(
        None,
        description="Seconds after which the search ends with what it has; the schedule is then "
        "written up and verified, which takes a large one some seconds more.",
    )
    ignore_memory_limit: bool = False


class SolveBody(_Strict):
    """What to solve, and how."""

    profile: dict[str, Any] = Field(description="A nobubble.profile/1.")
    options: Options = Field(default_factory=lambda: Options.model_validate({}))


class CompareOptions(Options):
    """How to compare; as the options of `nobubble compare`."""

    partition: Splitting = Field(
        default="chosen", description="How layers are cut into stages; see docs/compare.md."
    )


class CompareBody(_Strict):
    """A model, in layers or stages, to be compared under all families of schedules."""

    profile: dict[str, Any] = Field(description="A nobubble.profile/1.")
    options: CompareOptions = Field(default_factory=lambda: CompareOptions.model_validate({}))


class JobBody(SolveBody):
    """What to solve, and how, with a name and tags to find it by."""

    name: Name | None = None
    tags: Annotated[list[Tag], Field(max_length=20)] = []


class ProfileBody(_Strict):
    """A profile to look at."""

    profile: dict[str, Any] = Field(description="A nobubble.profile/1.")


class VerifyBody(_Strict):
    """A schedule to check, against the profile that it carries or another."""

    schedule: dict[str, Any] = Field(description="A nobubble.schedule/1.")
    profile: dict[str, Any] | None = Field(default=None, description="A nobubble.profile/1.")
