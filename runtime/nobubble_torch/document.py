"""The part of a schedule document that is run, as values."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from nobubble_torch.errors import ScheduleError

SCHEMA: Final = "nobubble.schedule/1"
COMPUTE: Final = ("F", "B", "W", "BW")
TRANSFERS: Final = ("SEND_F", "RECV_F", "SEND_B", "RECV_B")


class Action(NamedTuple):
    """An op, or a transfer with `peer`."""

    op: str
    stage: int
    microbatch: int
    peer: int | None = None

    def __str__(self) -> str:
        """Give it as messages do: ``F(2, 0)`` is F of stage 2, microbatch 0."""
        return f"{self.op}({self.stage}, {self.microbatch})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """A schedule to run.

    Attributes
    ----------
    name : str
        What messages call it.
    microbatches : int
    placement : tuple of int
        The rank of every stage.
    rows : tuple of tuple of Action
        What every rank does, in order.
    requires : tuple of str
        What the runtime must offer.
    makespan, rank_span : float
        In `time_unit`.
    time_unit : str
    profile_sha256 : str
    """

    name: str
    microbatches: int
    placement: tuple[int, ...]
    rows: tuple[tuple[Action, ...], ...]
    requires: tuple[str, ...]
    makespan: float
    rank_span: float
    time_unit: str
    profile_sha256: str

    def stages_of(self, rank: int) -> list[int]:
        """Give the stages of a rank, ascending."""
        return [stage for stage, its in enumerate(self.placement) if its == rank]


def actions_sha256(rows: Sequence[Sequence[Action]]) -> str:
    """Give the hash that names what runs, without times, as in docs/run.md."""
    lines = (",".join(f"{a.stage}{a.op}{a.microbatch}" for a in row) + "\n" for row in rows)
    return hashlib.sha256("".join(lines).encode("ascii")).hexdigest()


def parse(data: object, name: str) -> Schedule:
    """Read a document's shape; whether it can run, `checks` says.

    Raises
    ------
    ScheduleError
        Names the first place that is not as it should be.
    """
    top = _object(data, name, "")
    schema = top.get("schema")
    if schema != SCHEMA:
        raise ScheduleError(
            f'{name}: the schema is {schema!r}; this runs "{SCHEMA}", which `nobubble solve` writes'
        )
    profile = _object(top.get("profile"), name, "/profile")
    metrics = _object(top.get("metrics"), name, "/metrics")
    placement = tuple(
        _whole(value, name, f"/placement/{n}")
        for n, value in enumerate(_list(top.get("placement"), name, "/placement"))
    )
    rows = tuple(
        _row(value, name, rank)
        for rank, value in enumerate(_list(top.get("ranks"), name, "/ranks"))
    )
    return Schedule(
        name=name,
        microbatches=_whole(profile.get("microbatches"), name, "/profile/microbatches"),
        placement=placement,
        rows=rows,
        requires=tuple(str(it) for it in _list(top.get("requires"), name, "/requires")),
        makespan=_number(metrics.get("makespan"), name, "/metrics/makespan"),
        rank_span=_number(metrics.get("rank_span"), name, "/metrics/rank_span"),
        time_unit=str(profile.get("time_unit")),
        profile_sha256=str(top.get("profile_sha256")),
    )


def _row(value: object, name: str, rank: int) -> tuple[Action, ...]:
    at = f"/ranks/{rank}"
    row = _object(value, name, at)
    if row.get("rank") != rank:
        raise ScheduleError(f"{name}: {at}/rank is {row.get('rank')!r}; it is {rank}, its place")
    actions = _list(row.get("actions"), name, f"{at}/actions")
    return tuple(_action(it, name, f"{at}/actions/{n}") for n, it in enumerate(actions))


def _action(value: object, name: str, at: str) -> Action:
    action = _object(value, name, at)
    op = action.get("op")
    if op not in (*COMPUTE, *TRANSFERS):
        raise ScheduleError(
            f"{name}: {at}/op is {op!r}; an op is one of {', '.join((*COMPUTE, *TRANSFERS))}"
        )
    stage = _whole(action.get("stage"), name, f"{at}/stage")
    microbatch = _whole(action.get("microbatch"), name, f"{at}/microbatch")
    peer = _whole(action.get("peer"), name, f"{at}/peer") if op in TRANSFERS else None
    return Action(str(op), stage, microbatch, peer)


def _object(value: object, name: str, at: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ScheduleError(f"{name}: {at or 'it'} is {_shown(value)}; it should be an object")
    return value


def _list(value: object, name: str, at: str) -> Sequence[object]:
    if not isinstance(value, list | tuple):
        raise ScheduleError(f"{name}: {at} is {_shown(value)}; it should be a list")
    return value


def _whole(value: object, name: str, at: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ScheduleError(f"{name}: {at} is {_shown(value)}; it should be a whole number from 0")
    return value


def _number(value: Any, name: str, at: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ScheduleError(f"{name}: {at} is {_shown(value)}; it should be a number") from None


def _shown(value: object) -> str:
    return "missing" if value is None else repr(value)[:60]
