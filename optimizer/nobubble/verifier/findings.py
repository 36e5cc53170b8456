"""What a verification finds, in plain language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

MOST: Final = 100
"""How many findings are told; one slip over a thousand microbatches is no news."""


class Findings:
    """The findings so far."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._number = 0

    def add(self, text: str) -> None:
        """Take note of a finding."""
        self._number += 1
        if self._number <= MOST:
            self._texts.append(text)

    def __len__(self) -> int:
        return self._number

    def texts(self) -> list[str]:
        """Give the findings, the last of many being how many more there are."""
        if self._number <= MOST:
            return list(self._texts)
        return [*self._texts, f"and {self._number - MOST} more"]


def some(items: Sequence[int], number: int) -> str:
    """Give ``1, 2 and 5``, or ``1, 2, 5 and 7 more`` when there are more than are listed.

    Parameters
    ----------
    items : sequence of int
        The first of them, at least one.
    number : int
        How many there are.
    """
    if number > len(items):
        return f"{', '.join(map(str, items))} and {number - len(items)} more"
    head = ", ".join(map(str, items[:-1]))
    return f"{head} and {items[-1]}" if head else str(items[-1])
