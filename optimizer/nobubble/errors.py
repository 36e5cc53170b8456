"""The exceptions that nobubble raises on purpose, and the exit code of each.

::

    NobubbleError
    ├── InputError            2  what was given cannot be used as it is
    │   ├── ProfileError         a profile that is not a `nobubble.profile/1`
    │   ├── ScheduleError        a schedule that is not a `nobubble.schedule/1`
    │   ├── TableError           a table of actions that cannot be read
    │   ├── TraceError           a trace that cannot be read, or is not of this schedule
    │   ├── RunError             a run that is not a `nobubble.run/1`, or not of this schedule
    │   └── MethodError          a method that is unknown, or not made for this profile
    ├── InfeasibleError       3  well-formed, but no schedule keeps within the memory limits
    ├── NoScheduleError       4  no schedule was found within the time limit
    └── VerificationError     5  a schedule says something that is not so
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class NobubbleError(Exception):
    """Base of every error that a user can cause; its text is all that the user sees."""

    exit_code = 2


class InputError(NobubbleError):
    """What was given cannot be used as it is."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with an input.

    Attributes
    ----------
    pointer : str
        Where: a JSON pointer such as ``/stages/3/F/time``; empty for the whole document.
    message : str
        What was found, and what would be right.
    """

    pointer: str
    message: str

    def __str__(self) -> str:
        """Give the line that the user sees; a fault of the whole document has no place."""
        return f"{self.pointer}: {self.message}" if self.pointer else self.message


class DocumentError(InputError):
    """A document with one or more faults.

    Parameters
    ----------
    source : str
        The file that it came from, or ``<stdin>``.
    faults : sequence of Fault
        Everything that is wrong, in the order of the document.
    """

    kind = "document"

    def __init__(self, source: str, faults: Sequence[Fault]) -> None:
        self.source = source
        self.faults = tuple(faults)
        super().__init__("\n".join(f"{source}: {fault}" for fault in self.faults))

    def __reduce__(self) -> tuple[object, ...]:
        """Let it pass between processes: its text is not what it is made of."""
        return type(self), (self.source, self.faults)


class ProfileError(DocumentError):
    """A profile that is not a valid `nobubble.profile/1`."""

    kind = "profile"


class ScheduleError(DocumentError):
    """A schedule that is not a valid `nobubble.schedule/1`."""

    kind = "schedule"


class TableError(DocumentError):
    """A table of actions that cannot be read; its places are rows and columns."""

    kind = "table"


class TraceError(DocumentError):
    """A profiler's trace that cannot be read, or is one of another schedule."""

    kind = "trace"


class RunError(DocumentError):
    """A run that is not a valid `nobubble.run/1`, or is one of another schedule."""

    kind = "run"


class MethodError(InputError):
    """A method that does not exist, or that is not made for the profile at hand."""


class InfeasibleError(NobubbleError):
    """No schedule of the profile keeps within the memory limits.

    Parameters
    ----------
    message : str
        Which rank binds, its limit, and what would be enough.
    rank : int
        The rank that binds.
    limit, needed : int
        Its limit, and the smallest limit with which a schedule exists, in bytes.
    """

    exit_code = 3

    def __init__(self, message: str, *, rank: int, limit: int, needed: int) -> None:
        self.rank = rank
        self.limit = limit
        self.needed = needed
        super().__init__(message)

    def __reduce__(self) -> tuple[object, ...]:
        """Let it pass between processes, with all that it knows."""
        return _infeasible, (str(self), self.rank, self.limit, self.needed)


def _infeasible(message: str, rank: int, limit: int, needed: int) -> InfeasibleError:
    return InfeasibleError(message, rank=rank, limit=limit, needed=needed)


class NoScheduleError(NobubbleError):
    """No schedule was found within the time limit."""

    exit_code = 4


class VerificationError(NobubbleError):
    """A schedule says something that is not so.

    Parameters
    ----------
    findings : sequence of str
        Each names the rank, the op and the time where it applies.
    """

    exit_code = 5

    def __init__(self, findings: Sequence[str]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(self.findings))

    def __reduce__(self) -> tuple[object, ...]:
        """Let it pass between processes."""
        return type(self), (self.findings,)
