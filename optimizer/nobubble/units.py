"""Exact conversion between the whole numbers inside and a profile's own units."""

from __future__ import annotations

from decimal import Context, Decimal
from typing import Final

TIME_UNITS: Final = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
"""Nanoseconds in each unit of time."""

MEMORY_UNITS: Final = {
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
}
"""Bytes in each unit of memory."""

# 2**-30 has 30 decimals and figures have at most 19 digits before them.
_EXACT: Final = Context(prec=60)


def in_unit(whole: int, size: int) -> int | Decimal:
    """Give a number of nanoseconds or bytes in a unit of that size, exactly.

    Examples
    --------
    >>> in_unit(29_718_000, TIME_UNITS["ms"])
    Decimal('29.718')
    >>> in_unit(30_000_000, TIME_UNITS["ms"])
    30
    """
    quotient, remainder = divmod(whole, size)
    if remainder == 0:
        return quotient
    return _EXACT.divide(Decimal(whole), Decimal(size)).normalize(_EXACT)


def from_unit(number: int | float | Decimal, size: int) -> Decimal:
    """Give a number in a unit of that size as nanoseconds or bytes, exactly.

    A float counts as the shortest decimal that reads back as it.
    """
    exact = Decimal(repr(number)) if isinstance(number, float) else Decimal(number)
    return _EXACT.multiply(exact, Decimal(size))


def spell(whole: int, size: int, unit: str) -> str:
    """Write a number of nanoseconds or bytes in a unit, exactly, such as ``29.718 ms``."""
    number = in_unit(whole, size)
    return f"{number:f} {unit}" if isinstance(number, Decimal) else f"{number} {unit}"
