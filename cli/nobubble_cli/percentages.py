"""Options that take a part of something: ``5%`` or ``0.05``."""

from __future__ import annotations

import re
from decimal import Decimal

import typer

_PART = re.compile(r"([0-9]{1,9}(\.[0-9]{0,15})?|\.[0-9]{1,15}) ?(%?)")


def part(text: str, largest: float, option: str) -> float:
    """Give a part as a number, so that 5% is 0.05.

    Parameters
    ----------
    text : str
    largest : float
        The most that it may be.
    option : str
        What messages call it.

    Raises
    ------
    typer.BadParameter
        It is not a part, or too large.
    """
    match = _PART.fullmatch(text.strip())
    if match is None:
        raise typer.BadParameter(
            f"{text!r} is neither a percentage such as 5% nor a part such as 0.05",
            param_hint=f"'{option}'",
        )
    number = Decimal(match[1]) / (100 if match[3] else 1)
    if number > Decimal(repr(largest)):
        hint = "" if match[3] else f"; a percentage is written {match[1]}%"
        raise typer.BadParameter(
            f"{text} is more than {100 * largest:g}%, the most that it may be{hint}",
            param_hint=f"'{option}'",
        )
    return float(number)
