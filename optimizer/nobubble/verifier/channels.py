"""What becomes of sends and receives under different kinds of communication.

Transfers carry no tags: what a channel delivers first is what was sent first. So on every channel
receives have to stand in the order of their sends, or one microbatch is taken for another, without
a word. And no circle of waiting may arise. Three kinds of communication are told apart:

``rendezvous``
    A rank stops at every SEND and RECV until the other rank has come to its half, and one channel
    carries both directions of a pair of ranks. The strictest: what passes it passes the others.
``directions``
    A rank posts its SENDs and RECVs and goes on; only an op waits, for its input. Each direction
    of a pair has a channel of its own. Whether a SEND is done before or after its receiver has
    come makes no difference, since no rank stops for it.
``buffered``
    A SEND is done at once, a RECV stops its rank until what it takes has been sent. Each direction
    of a pair has a channel of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from nobubble.schedule.document import ScheduleDocument
from nobubble.verifier.waiting import Wait, waiting_circle

Kind: TypeAlias = Literal["rendezvous", "directions", "buffered"]
KINDS: Final[tuple[Kind, ...]] = ("rendezvous", "directions", "buffered")

_WHEN: Final[dict[Kind, str]] = {
    "rendezvous": "when sends wait for their receiver",
    "directions": "even when no rank stops at a transfer",
    "buffered": "when receives wait for their sender",
}


class Step(NamedTuple):
    """An action without times."""

    op: str
    stage: int
    microbatch: int

    def __str__(self) -> str:
        """Give it as findings do: ``F(3, 7)``."""
        return f"{self.op}({self.stage}, {self.microbatch})"


class _Place(NamedTuple):
    """A step of a rank's."""

    rank: int
    at: int


class Channels:
    """The transfers of all ranks, each with its other half.

    Parameters
    ----------
    rows : list of list of Step
        Every rank's steps. Every transfer that is needed is there once on either side, and no
        other. For `circle` under ``directions`` the sends are enough.
    """

    def __init__(self, rows: Sequence[Sequence[Step]]) -> None:
        self._rows = rows
        self._places: dict[Step, _Place] = {
            step: _Place(rank, at)
            for rank, row in enumerate(rows)
            for at, step in enumerate(row)
            if step.op.startswith(("SEND", "RECV"))
        }

    @classmethod
    def of(cls, document: ScheduleDocument) -> Channels:
        """Give the transfers of a schedule."""
        return cls(
            [
                [Step(a["op"], a["stage"], a["microbatch"]) for a in rank["actions"]]
                for rank in document["ranks"]
            ]
        )

    def findings(self, kind: Kind) -> list[str]:
        """Say what goes wrong under one kind of communication; empty when nothing does."""
        crossed = self._crossed_pairs() if kind == "rendezvous" else self._crossed_directions()
        return crossed + self.circle(kind)

    def circle(self, kind: Kind) -> list[str]:
        """Find ranks that wait for each other for ever, where receives are in the right order."""
        waits: list[list[Wait]] = [[self._wait(kind, step) for step in row] for row in self._rows]
        circle = waiting_circle(waits)
        if not circle:
            return []
        told = []
        for rank, at in circle:
            step, wait = self._rows[rank][at], waits[rank][at]
            assert wait is not None
            what = f"rank {wait[0]}"
            if kind != "rendezvous":
                what = f"{self._rows[wait[0]][wait[1] - 1]} of {what}"
            told.append(f"rank {rank} waits at {step} for {what}")
        return [f"the ranks wait for each other for ever {_WHEN[kind]}: " + ", ".join(told)]

    def _half(self, step: Step) -> _Place | None:
        """Give the place of the other half of a transfer; None for what is no transfer."""
        op, stage, microbatch = step
        match op:
            case "SEND_F":
                return self._places[Step("RECV_F", stage + 1, microbatch)]
            case "RECV_F":
                return self._places[Step("SEND_F", stage - 1, microbatch)]
            case "SEND_B":
                return self._places[Step("RECV_B", stage - 1, microbatch)]
            case "RECV_B":
                return self._places[Step("SEND_B", stage + 1, microbatch)]
            case _:
                return None

    def _crossed_pairs(self) -> list[str]:
        """Find the pairs of ranks that list their transfers in different orders."""
        found: list[str] = []
        with_peer = self._by_peer("SEND", "RECV")
        for (rank, peer), mine in with_peer.items():
            if rank > peer:
                continue
            for place, there in zip(mine, with_peer[peer, rank], strict=True):
                step = self._rows[rank][place]
                if self._half(step) != (peer, there):
                    found.append(
                        f"ranks {rank} and {peer} list their transfers in different orders: where "
                        f"rank {rank} has {step}, rank {peer} has {self._rows[peer][there]}"
                    )
                    break
        return found

    def _crossed_directions(self) -> list[str]:
        """Find the ranks that receive in another order than is sent to them."""
        found: list[str] = []
        received = self._by_peer("RECV")
        for (rank, peer), sends in self._by_peer("SEND").items():
            for place, there in zip(sends, received[peer, rank], strict=True):
                step = self._rows[rank][place]
                if self._half(step) != (peer, there):
                    found.append(
                        f"rank {peer} receives from rank {rank} in another order than that sends: "
                        f"where rank {rank} has {step}, rank {peer} has {self._rows[peer][there]}"
                    )
                    break
        return found

    def _by_peer(self, *halves: str) -> dict[tuple[int, int], list[int]]:
        """Give the places of every rank's transfers with every peer, in its order."""
        places: dict[tuple[int, int], list[int]] = {}
        for rank, row in enumerate(self._rows):
            for at, step in enumerate(row):
                if step.op.startswith(halves):
                    half = self._half(step)
                    assert half is not None
                    places.setdefault((rank, half.rank), []).append(at)
        return places

    def _wait(self, kind: Kind, step: Step) -> Wait:
        """Say what a step waits for."""
        if kind == "rendezvous":
            return self._half(step)
        if kind == "buffered":
            half = self._half(step) if step.op.startswith("RECV") else None
        else:
            half = self._input(step)
        return None if half is None else (half.rank, half.at + 1)

    def _input(self, step: Step) -> _Place | None:
        """Give the SEND of an op's input; None where that comes from the op's own rank."""
        op, stage, microbatch = step
        if op == "F":
            return self._places.get(Step("SEND_F", stage - 1, microbatch))
        if op in ("B", "BW"):
            return self._places.get(Step("SEND_B", stage + 1, microbatch))
        return None
