"""From exact decimals to whole nanoseconds and bytes, with account of what is lost."""

from __future__ import annotations

from decimal import (
    ROUND_CEILING,
    ROUND_FLOOR,
    ROUND_HALF_EVEN,
    Context,
    Decimal,
    InvalidOperation,
)
from typing import Final, Literal

MAX_DECIMALS: Final = 400
"""Digits after the point that a number may have; every double has a shorter representation."""

EXACT: Final = Context(prec=1000)
"""Enough digits for every sum and product of figures within the limits to be exact."""

_MODES: Final = {"nearest": ROUND_HALF_EVEN, "down": ROUND_FLOOR, "up": ROUND_CEILING}


def exact_decimal(text: str) -> Decimal:
    """Give the decimal that a number's text says.

    An exponent beyond what `Decimal` can hold (18 digits) gives an infinity, or the smallest
    number, either of which no profile accepts.
    """
    try:
        return Decimal(text)
    except InvalidOperation:
        if "e-" in text.lower():
            return Decimal("1e-999999")
        return Decimal("-Infinity" if text.startswith("-") else "Infinity")


class Rounding:
    """Turns written figures into whole nanoseconds and bytes, and keeps account of what is lost."""

    def __init__(self) -> None:
        self._counts = {"time": 0, "memory": 0}
        self._largest: dict[str, tuple[Decimal, str]] = {}

    def whole(
        self,
        kind: Literal["time", "memory"],
        written: Decimal,
        factor: int,
        pointer: str,
        mode: Literal["nearest", "down", "up"] = "nearest",
    ) -> int:
        """Give a written figure in whole nanoseconds or bytes.

        Parameters
        ----------
        kind : {"time", "memory"}
            What it is a figure of.
        written : Decimal
            The figure in the profile's own unit.
        factor : int
            Nanoseconds or bytes in that unit.
        pointer : str
            Where it stands, for the note.
        mode : {"nearest", "down", "up"}
            Which way to round; nearest takes a half to the even side, so that it treats F and -F
            alike.
        """
        exact = EXACT.multiply(written, Decimal(factor))
        whole = int(exact.to_integral_value(rounding=_MODES[mode], context=EXACT))
        self.settle(kind, written, factor, pointer, whole)
        return whole

    def settle(
        self,
        kind: Literal["time", "memory"],
        written: Decimal,
        factor: int,
        pointer: str,
        whole: int,
    ) -> None:
        """Take note that a written figure counts as `whole` nanoseconds or bytes."""
        exact = EXACT.multiply(written, Decimal(factor))
        lost = abs(EXACT.subtract(exact, Decimal(whole)))
        if not lost:
            return
        self._counts[kind] += 1
        if kind not in self._largest or lost > self._largest[kind][0]:
            self._largest[kind] = (lost, pointer)

    def note(self) -> str | None:
        """Say in one line what was rounded; None when nothing was."""
        parts = []
        for kind, one, many, whole, unit in (
            ("time", "time was", "times were", "nanoseconds", "ns"),
            ("memory", "memory figure was", "memory figures were", "bytes", "B"),
        ):
            count = self._counts[kind]
            if count:
                lost, pointer = self._largest[kind]
                by = f"by {lost.normalize():.2g} {unit} ({pointer})"
                what = f"{count} {one if count == 1 else many} rounded to whole {whole}"
                parts.append(f"{what}, {by}" if count == 1 else f"{what}, the largest {by}")
        return "; ".join(parts) or None
