"""The schedule that is verified, and how its figures read in findings."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal, DecimalException, Inexact, InvalidOperation, Overflow
from typing import Final, TypeGuard

from nobubble.profile.model import Cost, Profile, Stage
from nobubble.profile.wording import shown
from nobubble.schedule.document import (
    Action,
    ComputeAction,
    Number,
    ScheduleDocument,
    TransferAction,
)
from nobubble.units import MEMORY_UNITS, TIME_UNITS, in_unit

OPS: Final = ("F", "B", "W", "BW")
TRANSFERS: Final = ("SEND_F", "RECV_F", "SEND_B", "RECV_B")

_STRICT: Final = Context(prec=100, traps=[Inexact, InvalidOperation, Overflow])
_LARGEST: Final = 10**30


@dataclass(frozen=True, slots=True)
class Subject:
    """A schedule document with its profile.

    Attributes
    ----------
    document : ScheduleDocument
        Of the right shape; nothing that it says is believed.
    profile : Profile
        The profile that it carries.
    """

    document: ScheduleDocument
    profile: Profile

    @property
    def time_size(self) -> int:
        """Nanoseconds in the profile's unit of time."""
        return TIME_UNITS[self.profile.time_unit]

    @property
    def memory_size(self) -> int:
        """Bytes in the profile's unit of memory."""
        return MEMORY_UNITS[self.profile.memory_unit]

    def time(self, ns: int) -> str:
        """Give nanoseconds as text, in the profile's unit."""
        return f"{_plain(in_unit(ns, self.time_size))} {self.profile.time_unit}"

    def memory(self, size: int) -> str:
        """Give bytes as text, in the profile's unit."""
        return f"{_plain(in_unit(size, self.memory_size))} {self.profile.memory_unit}"

    def at(self, action: ComputeAction) -> str:
        """Give an op and its start as text: ``F(3, 7) at 41.2 ms``."""
        return f"{name(action)} at {shown(action['start'])} {self.profile.time_unit}"


def is_compute(action: Action) -> TypeGuard[ComputeAction]:
    """Say whether an action is an op."""
    return action["op"] in OPS


def is_transfer(action: Action) -> TypeGuard[TransferAction]:
    """Say whether an action is a transfer."""
    return action["op"] in TRANSFERS


def name(action: Action) -> str:
    """Give an action as text, with its stage and microbatch: ``F(3, 7)``."""
    return f"{action['op']}({action['stage']}, {action['microbatch']})"


def cost(stage: Stage, op: str) -> Cost:
    """Give what an op of a stage takes."""
    return {"F": stage.F, "B": stage.B, "W": stage.W, "BW": stage.BW}[op]


def whole(number: Number, size: int) -> int | None:
    """Give a number as nanoseconds or bytes; None when it is no whole number of them.

    Parameters
    ----------
    number : int, float or Decimal
        A float counts as the shortest decimal that reads back as it.
    size : int
        Nanoseconds or bytes in the number's unit.
    """
    if isinstance(number, int):
        exact = number * size
        return exact if -_LARGEST < exact < _LARGEST else None
    decimal = Decimal(float.__repr__(number)) if isinstance(number, float) else number
    try:
        product = _STRICT.multiply(decimal, size)
    except DecimalException:
        return None
    if not (product.is_finite() and -_LARGEST < product < _LARGEST):
        return None
    exact = int(product)
    return exact if exact == product else None


def _plain(number: int | Decimal) -> str:
    return format(number, "f") if isinstance(number, Decimal) else str(number)
