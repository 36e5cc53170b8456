"""What is told about a committed schedule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "bad-profile", "missing", "unreadable", "stale", "invalid", "worse", "unsolved", "orphan"
]


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault: its kind, for programs, and a line with what to do, for people."""

    kind: Kind
    message: str
