"""Where the time went that a schedule did not plan, rank by rank, to the nanosecond.

A rank's end is the sum of its ops and of the gaps before them. Of a gap, the rank waits until the
op before has ended on another rank and its output has travelled as long as planned; then for as
long as the message is later than that; and what is left, once everything is there, is its own.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from nobubble.profile.model import Profile
from nobubble.runs.reading import Op, Step, TimedOp


@dataclass(slots=True)
class Part:
    """What a rank's time went into, in ns; of a difference, measured less planned.

    Attributes
    ----------
    ops : Counter of str
        Time of its ops by kind.
    waits : int
        For ops of other ranks, and as long as their outputs are planned to travel.
    late : int
        For messages that travelled longer than planned.
    own : int
        With everything there and nothing run: launching, the host, the runtime.
    """

    ops: Counter[str] = field(default_factory=Counter)
    waits: int = 0
    late: int = 0
    own: int = 0

    def total(self) -> int:
        """Give the sum: from the step's begin to the rank's last end."""
        return sum(self.ops.values()) + self.waits + self.late + self.own

    def less(self, other: Part) -> Part:
        """Give the difference to another."""
        kinds = {**self.ops, **other.ops}
        return Part(
            Counter({kind: self.ops[kind] - other.ops[kind] for kind in kinds}),
            self.waits - other.waits,
            self.late - other.late,
            self.own - other.own,
        )


@dataclass(frozen=True, slots=True)
class Link:
    """An op on the critical chain of a step, and what comes between it and the one before.

    Attributes
    ----------
    rank : int
    ran : TimedOp
    planned : int
        How long the op was to take, in ns.
    planned_travel : int or None
        What its input was to travel, where it waited for one from another rank: the link before is
        there. None where it came after the op before on its rank.
    quicker, late, own : int
        By how much the input came sooner than planned, and `late` and `own` of `Part`.
    """

    rank: int
    ran: TimedOp
    planned: int
    planned_travel: int | None
    quicker: int
    late: int
    own: int


class Placed:
    """The ops of a step by name, and what each waits for.

    Parameters
    ----------
    profile : Profile
    step : Step
    """

    def __init__(self, profile: Profile, step: Step) -> None:
        self._profile = profile
        self._last = len(profile.stages) - 1
        self.rows = step.ranks
        self.rank_of = profile.placement
        self.at: dict[Op, tuple[int, int]] = {}
        for rank, row in enumerate(step.ranks):
            for place, ran in enumerate(row):
                self.at[ran.op] = (rank, place)

    def input_of(self, op: Op) -> tuple[Op, int] | None:
        """Give the op of another rank that an op waits for, and the planned travel, in ns."""
        kind, stage, microbatch = op
        profile = self._profile
        if kind == "F" and stage > 0 and self.rank_of[stage - 1] != self.rank_of[stage]:
            return ("F", stage - 1, microbatch), profile.communication_forward[stage - 1]
        if kind in ("B", "BW") and stage < self._last:
            if self.rank_of[stage + 1] == self.rank_of[stage]:
                return None
            before = ("B", stage + 1, microbatch)
            if before not in self.at:
                before = ("BW", stage + 1, microbatch)
            return before, profile.communication_backward[stage]
        return None

    def ran(self, op: Op) -> TimedOp:
        """Give when an op ran."""
        rank, place = self.at[op]
        return self.rows[rank][place]

    def gap(self, rank: int, place: int) -> tuple[int, int, int]:
        """Divide the gap before an op into waiting, late message, and own time, in ns."""
        ran = self.rows[rank][place]
        free = self.rows[rank][place - 1].end if place else min(0, ran.start)
        gap = ran.start - free
        needed = self.input_of(ran.op)
        if needed is None:
            return 0, 0, gap
        arrival = self.ran(needed[0]).end + needed[1]
        if arrival <= free:
            return 0, 0, gap
        waits = min(gap, arrival - free)
        return waits, gap - waits, 0

    def parts(self) -> list[Part]:
        """Give what every rank's time went into."""
        result = []
        for rank, row in enumerate(self.rows):
            part = Part()
            for place, ran in enumerate(row):
                part.ops[ran.op[0]] += ran.time
                waits, late, own = self.gap(rank, place)
                part.waits += waits
                part.late += late
                part.own += own
            result.append(part)
        return result

    def chain(self, times: dict[Op, int]) -> list[Link]:
        """Give the critical chain, from the step's begin to its last end.

        Back from the op that ends last: from each to the op that its start waited for, on another
        rank where its input came after the rank was free, else the one before on its rank.

        Parameters
        ----------
        times : dict
            How long every op was to take, in ns.
        """
        rank = max(range(len(self.rows)), key=lambda r: self.rows[r][-1].end if self.rows[r] else 0)
        place = len(self.rows[rank]) - 1
        links: list[Link] = []
        while True:
            ran = self.rows[rank][place]
            waits, late, own = self.gap(rank, place)
            needed = self.input_of(ran.op) if waits > 0 or late > 0 else None
            if needed is not None:
                quicker = max(0, self.ran(needed[0]).end + needed[1] - ran.start)
                links.append(Link(rank, ran, times[ran.op], needed[1], quicker, late, own))
                rank, place = self.at[needed[0]]
                continue
            links.append(Link(rank, ran, times[ran.op], None, 0, late, own))
            if place == 0:
                break
            place -= 1
        return links[::-1]


@dataclass(frozen=True, slots=True)
class Difference:
    """A step beside the plan, in ns.

    Attributes
    ----------
    planned, measured : tuple of Part, shape (p,)
    planned_makespan, measured_makespan : int
    chain : tuple of Link
        The critical chain of the measured step.
    slack : int
        By how much the planned makespan is longer than this chain was planned to be: what the plan
        absorbed. The makespan's increase is what the chain's links took more, less that.
    """

    planned: tuple[Part, ...]
    measured: tuple[Part, ...]
    planned_makespan: int
    measured_makespan: int
    chain: tuple[Link, ...]
    slack: int

    def of_rank(self, rank: int) -> Part:
        """Give what a rank's time went into, measured less planned."""
        return self.measured[rank].less(self.planned[rank])


def difference(profile: Profile, planned: Step, measured: Step) -> Difference:
    """Set a measured step beside the plan.

    Parameters
    ----------
    profile : Profile
        Of the schedule.
    planned, measured : Step
        With the same ops in the same order on every rank.
    """
    plan, ran = Placed(profile, planned), Placed(profile, _from_zero(measured))
    times = {each.op: each.time for row in plan.rows for each in row}
    chain = ran.chain(times)
    chain_planned = sum(link.planned + (link.planned_travel or 0) for link in chain)
    makespan = max((row[-1].end for row in planned.ranks if row), default=0)
    return Difference(
        tuple(plan.parts()),
        tuple(ran.parts()),
        makespan,
        max((row[-1].end for row in ran.rows if row), default=0),
        tuple(chain),
        makespan - chain_planned,
    )


def _from_zero(step: Step) -> Step:
    """Give the step such that its first op starts at 0."""
    zero = min((row[0].start for row in step.ranks if row), default=0)
    return Step(
        step.number,
        tuple(
            tuple(TimedOp(ran.op, ran.start - zero, ran.end - zero) for ran in row)
            for row in step.ranks
        ),
    )
