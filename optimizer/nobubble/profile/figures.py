"""The single values of a written profile: what each may be, and what is said when it is not.

Pydantic calls these functions, and their messages go to the user as they are. The validation
context carries the profile's units, where they are valid, for the messages and the limits.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Literal

from pydantic import ValidationInfo
from pydantic_core import PydanticCustomError

from nobubble.profile.limits import MAX_MEMORY, MAX_TOTAL_TIME
from nobubble.profile.rounding import MAX_DECIMALS
from nobubble.profile.wording import as_number, enumerated, nearest, shown
from nobubble.units import MEMORY_UNITS, TIME_UNITS, in_unit

FAULT = "fault"
"""The type of the pydantic errors whose message is ours."""


def fault(message: str) -> PydanticCustomError:
    """Make the error with which pydantic carries a message of ours."""
    return PydanticCustomError(FAULT, "{message}", {"message": message})


def quantity(
    kind: Literal["time", "memory"], expected: str, *, signed: bool = False, null: bool = False
) -> Callable[[object, ValidationInfo], Decimal | None]:
    """Make the validator of a time or a memory figure.

    Parameters
    ----------
    kind : {"time", "memory"}
        Which of the profile's units it has.
    expected : str
        What would be right, as a sentence in which ``{unit}`` stands where the unit belongs.
    signed : bool
        Whether it may be negative.
    null : bool
        Whether it may be null.
    """

    def validate(value: object, info: ValidationInfo) -> Decimal | None:
        if value is None and null:
            return None
        unit, largest = _unit(kind, info.context or {})
        right = expected.format(unit=f", in {unit}" if unit else "")
        number = as_number(value)
        if number is None:
            raise fault(f"{shown(value)} is not a number; {right}")
        if not number.is_finite():
            raise fault(f"{shown(value)} is not a finite number; {right}")
        if number == 0:
            return Decimal(0)
        if number < 0 and not signed:
            raise fault(f"{shown(value)} is negative; {right}")
        if largest is not None and not -largest <= number <= largest:
            raise fault(f"{shown(value)} is too large; {right}, and at most {largest} {unit}")
        if int(number.as_tuple().exponent) < -MAX_DECIMALS:
            raise fault(f"{shown(value)} has more than {MAX_DECIMALS} decimals; {right}")
        return number

    return validate


def _unit(kind: str, context: Mapping[str, object]) -> tuple[str | None, int | Decimal | None]:
    """Give the unit of a kind of figure and the largest figure in it, where the unit is valid."""
    factors, limit = (TIME_UNITS, MAX_TOTAL_TIME) if kind == "time" else (MEMORY_UNITS, MAX_MEMORY)
    unit = context.get(f"{kind}_unit")
    if not isinstance(unit, str) or unit not in factors:
        return None, None
    return unit, in_unit(limit, factors[unit])


def count(what: str, lowest: int, highest: int) -> Callable[[object, ValidationInfo], int]:
    """Make the validator of an integer from `lowest` to `highest`; `what` names it."""
    right = f"{what} is an integer from {lowest} to {highest}"

    def validate(value: object, _info: ValidationInfo) -> int:
        number = as_number(value)
        if number is None:
            raise fault(f"{shown(value)} is not a number; {right}")
        if not number.is_finite():
            raise fault(f"{shown(value)} is not a finite number; {right}")
        if number < lowest:
            raise fault(f"{shown(value)} is too small; {right}")
        if number > highest:
            raise fault(f"{shown(value)} is too large; {right}")
        # Only now is the number known to be of a size that can be worked with.
        if number != int(number):
            raise fault(f"{shown(value)} is not an integer; {right}")
        return int(number)

    return validate


def choice(
    what: str, options: tuple[str, ...], *, besides: str = ""
) -> Callable[[object, ValidationInfo], str]:
    """Make the validator of a word out of a few.

    Parameters
    ----------
    what : str
        What the words are, with its article.
    options : tuple of str
        The words.
    besides : str
        What else is right there, for messages.
    """
    right = f"it is one of {enumerated(options)}{besides}"

    def validate(value: object, _info: ValidationInfo) -> str:
        if isinstance(value, str):
            if value in options:
                return value
            near = nearest(value, options)
            if near:
                raise fault(f'{shown(value)} is not {what}; did you mean "{near}"? ({right})')
        raise fault(f"{shown(value)} is not {what}; {right}")

    return validate


def schema_name(accepted: str) -> Callable[[object, ValidationInfo], str]:
    """Make the validator of the ``schema`` key, which names the format and its version."""
    family = accepted.rpartition("/")[0]
    other = "nobubble.schedule/"

    def validate(value: object, _info: ValidationInfo) -> str:
        if value == accepted:
            return accepted
        if isinstance(value, str) and value.startswith(f"{family}/"):
            problem = f"{shown(value)} is a version that this nobubble does not read"
            raise fault(f'{problem}; it reads "{accepted}"')
        if isinstance(value, str) and value.startswith(other):
            problem = f'{shown(value)} is a schedule; its profile stands under "profile" in it'
            raise fault(f'{problem}, with the schema "{accepted}"')
        raise fault(f'{shown(value)} is not the schema of a profile; it is "{accepted}"')

    return validate


def title(value: object, _info: ValidationInfo) -> str | None:
    """Check a name: any text that can be printed on one line, or null."""
    if value is None:
        return None
    if not isinstance(value, str):
        raise fault(f'{shown(value)} is not text; a name is text such as "gpt-6.2b-pp8"')
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in value):
        raise fault(f"{shown(value)} has control characters; a name is printable text")
    return value
