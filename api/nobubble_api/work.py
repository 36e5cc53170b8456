"""What a client asks to be solved, and what is told and given back."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from decimal import Decimal
from typing import Final

from nobubble._version import __version__
from nobubble.methods import Effort

REPRODUCIBLE: Final = ("proof", "completed", "work")
"""What ends a run in a way that another run repeats, byte for byte."""

_WRITE_UP: Final = 0.0003
"""Seconds that an op may take in writing up and verifying a schedule: some 40 us when measured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A profile and how to solve it.

    Attributes
    ----------
    profile : str
        A complete `nobubble.profile/1` in the client's own units, as
        `nobubble.schedule.writing.json_text` writes `profile_document`.
    method, effort, seed, time_limit, ignore_memory_limit
        See `nobubble.solve.solve`.
    """

    profile: str
    method: str = "auto"
    effort: Effort = "normal"
    seed: int = 0
    time_limit: float | None = None
    ignore_memory_limit: bool = False

    def result_key(self) -> str:
        """Hash all that the answer depends on, as long as no clock cuts the run short.

        The profile counts as it is written, not only in its canonical form: an answer carries the
        profile's name and units.
        """
        return _digest([__version__, {**asdict(self), "time_limit": None}])

    def flight_key(self) -> str:
        """Hash all that tells one run from another, the time limit included."""
        return _digest([__version__, asdict(self)])

    def write_up_time(self) -> float:
        """Give the seconds that may pass after the search, until the schedule is written up.

        No time limit cuts that short, since no schedule leaves without being verified.
        """
        profile = json.loads(self.profile)
        ops = 3 * len(profile["stages"]) * int(profile["microbatches"])
        return _WRITE_UP * ops

    def to_json(self) -> str:
        """Write it down."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Work:
        """Read what `to_json` wrote."""
        return cls(**json.loads(text))


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """What a run tells while it works: a line, and from the first schedule on the figures.

    Attributes
    ----------
    text : str
    method : str or None
        What found the best schedule so far.
    cost, lower_bound : Decimal or None
        In the profile's time unit.
    gap : float or None
    document : bytes or None
        The best schedule so far, where it is new and enough time has passed since the last.
    """

    text: str
    method: str | None = None
    cost: Decimal | None = None
    lower_bound: Decimal | None = None
    gap: float | None = None
    document: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Solved:
    """A finished run.

    Attributes
    ----------
    document : bytes
        The schedule document, the same bytes as the command line writes.
    method, status, stopped_by : str
    cost, lower_bound : Decimal
        In the profile's time unit.
    gap : float
    seconds : float
        Wall time of the run.
    """

    document: bytes
    method: str
    status: str
    stopped_by: str
    cost: Decimal
    lower_bound: Decimal
    gap: float
    seconds: float

    def is_reproducible(self) -> bool:
        """Say whether another run gives the same bytes: no clock and no request ended it."""
        return self.stopped_by in REPRODUCIBLE


def content_hash(document: bytes) -> str:
    """Give the SHA-256 of a schedule's bytes, in hexadecimal: its name and its ETag."""
    return hashlib.sha256(document).hexdigest()


def _digest(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
