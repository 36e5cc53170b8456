"""Reading runs, and finding in one what a schedule planned."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Final, NoReturn, TypeGuard

from nobubble.errors import Fault, RunError
from nobubble.profile.wording import shown
from nobubble.runs.document import SCHEMA
from nobubble.schedule.document import Action, ComputeAction, ScheduleDocument
from nobubble.text_source import name_of, text_of
from nobubble.units import TIME_UNITS, from_unit

OPS: Final = ("F", "B", "W", "BW")
Op = tuple[str, int, int]
"""Kind, stage and microbatch."""


@dataclass(frozen=True, slots=True)
class TimedOp:
    """An op and when it ran, in ns."""

    op: Op
    start: int
    end: int

    @property
    def time(self) -> int:
        """How long it took, in ns."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Step:
    """One step: the ops of every rank, in the order in which it ran them.

    Attributes
    ----------
    number : int
    ranks : tuple of tuple of TimedOp
    """

    number: int
    ranks: tuple[tuple[TimedOp, ...], ...]

    @property
    def makespan(self) -> int:
        """From the first start to the last end, in ns."""
        ops = [op for row in self.ranks for op in row]
        return max(op.end for op in ops) - min(op.start for op in ops)


@dataclass(frozen=True, slots=True)
class Run:
    """A run.

    Attributes
    ----------
    name : str
        What messages call it.
    actions_sha256 : str
    uncertainty : int
        By how much two clocks may differ, in ns.
    steps : tuple of Step
        At least one.
    """

    name: str
    actions_sha256: str
    uncertainty: int
    steps: tuple[Step, ...]

    def median_step(self) -> Step:
        """Give the step with the median makespan; of two in the middle the quicker."""
        by_makespan = sorted(self.steps, key=lambda step: (step.makespan, step.number))
        return by_makespan[(len(by_makespan) - 1) // 2]

    def step(self, number: int) -> Step:
        """Give a step by its number.

        Raises
        ------
        RunError
            It was not recorded.
        """
        for step in self.steps:
            if step.number == number:
                return step
        numbers = ", ".join(str(step.number) for step in self.steps)
        raise RunError(
            self.name, [Fault("/steps", f"has no step {number}; the recorded ones are {numbers}")]
        )


def read_run(source: str | Path, schedule: ScheduleDocument) -> Run:
    """Read a `nobubble.run/1` of a schedule.

    Parameters
    ----------
    source : str or Path
        A JSON file; ``-`` is stdin.
    schedule : ScheduleDocument
        The schedule that ran.

    Raises
    ------
    RunError
        The file cannot be read, is no run, or is one of another schedule.
    """
    name = name_of(source)
    try:
        data = json.loads(text_of(source, RunError), parse_float=Decimal)
    except (ValueError, InvalidOperation, RecursionError) as error:
        raise RunError(name, [Fault("", f"is not valid JSON: {error}")]) from None
    return parse_run(data, schedule, name)


def parse_run(data: object, schedule: ScheduleDocument, name: str = "<run>") -> Run:
    """Check a run that is parsed already; see `read_run`."""
    reader = _Reader(name)
    top = reader.an_object(data, "")
    if top.get("schema") != SCHEMA:
        reader.refuse(
            "/schema", f'{shown(top.get("schema"))} is not the schema of a run; it is "{SCHEMA}"'
        )
    unit = top.get("time_unit")
    if unit not in TIME_UNITS:
        reader.refuse("/time_unit", f"{shown(unit)} is no unit of time; it is s, ms, us or ns")
    size = TIME_UNITS[str(unit)]
    ran = reader.an_object(top.get("schedule"), "/schedule")
    sha256 = str(ran.get("actions_sha256"))
    planned = actions_sha256(schedule)
    if sha256 != planned:
        reader.refuse(
            "/schedule/actions_sha256",
            f"{shown(sha256)}: another schedule ran; the actions of this one have {planned}",
        )
    clock = reader.an_object(top.get("clock"), "/clock")
    uncertainty = reader.a_time(clock.get("uncertainty"), size, "/clock/uncertainty")
    steps = reader.a_list(top.get("steps"), "/steps")
    if not steps:
        reader.refuse("/steps", "is empty; record at least one step")
    expected = [_ops_of(rank["actions"]) for rank in schedule["ranks"]]
    return Run(
        name,
        sha256,
        uncertainty,
        tuple(reader.a_step(step, size, expected, f"/steps/{n}") for n, step in enumerate(steps)),
    )


def actions_sha256(schedule: ScheduleDocument) -> str:
    """Give the hash that names what runs, without times: see docs/run.md."""
    digest = hashlib.sha256()
    for rank in schedule["ranks"]:
        row = (f"{a['stage']}{a['op']}{a['microbatch']}" for a in rank["actions"])
        digest.update((",".join(row) + "\n").encode("ascii"))
    return digest.hexdigest()


def planned_step(schedule: ScheduleDocument) -> Step:
    """Give a schedule as a step that ran as planned."""
    size = TIME_UNITS[schedule["profile"]["time_unit"]]
    ranks = []
    for rank in schedule["ranks"]:
        row = []
        for action in rank["actions"]:
            if is_compute(action):
                op = action["op"], action["stage"], action["microbatch"]
                start, end = from_unit(action["start"], size), from_unit(action["end"], size)
                row.append(TimedOp(op, round(start), round(end)))
        ranks.append(tuple(row))
    return Step(0, tuple(ranks))


def is_compute(action: Action) -> TypeGuard[ComputeAction]:
    """Say whether an action is an op."""
    return action["op"] in OPS


def _ops_of(actions: Iterable[Mapping[str, Any]]) -> list[Op]:
    return [(a["op"], a["stage"], a["microbatch"]) for a in actions if a["op"] in OPS]


class _Reader:
    """Checks values, and names what is wrong and where."""

    def __init__(self, name: str) -> None:
        self._name = name

    def refuse(self, at: str, problem: str) -> NoReturn:
        raise RunError(self._name, [Fault(at, problem)])

    def an_object(self, value: object, at: str) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            self.refuse(at, f"{_found(value)}; it should be an object")
        return value

    def a_list(self, value: object, at: str) -> Sequence[Any]:
        if not isinstance(value, list):
            self.refuse(at, f"{_found(value)}; it should be a list")
        return value

    def a_time(self, value: Any, size: int, at: str) -> int:
        is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
        if not is_number or not abs(value) < 10**15:
            self.refuse(at, f"{_found(value)}; it should be a time, a number")
        return round(from_unit(value, size))

    def a_step(self, value: object, size: int, expected: list[list[Op]], at: str) -> Step:
        step = self.an_object(value, at)
        number = step.get("step")
        if not isinstance(number, int):
            self.refuse(f"{at}/step", f"{_found(number)}; it should be the step's number")
        rows = self.a_list(step.get("ranks"), f"{at}/ranks")
        if len(rows) != len(expected):
            self.refuse(f"{at}/ranks", f"has {len(rows)} ranks; the schedule has {len(expected)}")
        return Step(
            int(str(number)),
            tuple(
                self._row(row, size, ops, f"{at}/ranks/{rank}")
                for rank, (row, ops) in enumerate(zip(rows, expected, strict=True))
            ),
        )

    def _row(self, value: object, size: int, expected: list[Op], at: str) -> tuple[TimedOp, ...]:
        row = self.an_object(value, at)
        found: list[TimedOp] = []
        for place, each in enumerate(self.a_list(row.get("actions"), f"{at}/actions")):
            where = f"{at}/actions/{place}"
            action = self.an_object(each, where)
            if action.get("op") not in OPS:
                continue
            op = (action["op"], action.get("stage"), action.get("microbatch"))
            due = expected[len(found)] if len(found) < len(expected) else None
            if op != due:
                planned = "no more ops" if due is None else _called(due)
                self.refuse(where, f"is {_called(op)}; the schedule has {planned} there")
            start, end = (
                self.a_time(action.get(key), size, f"{where}/{key}") for key in ("start", "end")
            )
            if end < start:
                self.refuse(where, f"{_called(op)} ends before it starts")
            if found and start < found[-1].end:
                self.refuse(where, f"{_called(op)} starts before the op before it ends")
            found.append(TimedOp(op, start, end))
        if len(found) < len(expected):
            self.refuse(
                f"{at}/actions", f"lacks {_called(expected[len(found)])}, and what follows it"
            )
        return tuple(found)


def _called(op: tuple[Any, Any, Any]) -> str:
    return f"{op[0]}({op[1]}, {op[2]})"


def _found(value: object) -> str:
    return "is missing" if value is None else f"is {shown(value)}"
