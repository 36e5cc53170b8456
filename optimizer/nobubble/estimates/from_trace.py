"""From the traces of torch.profiler, one for every rank, to a run.

PyTorch's runtime marks every action as ``PP:2F0``: stage, type (its I is B, its B is BW) and
microbatch. Such a span begins before its input is there: for an op that waits for another rank the
start is taken to be when that rank's op has ended and its output has travelled as planned, if that
is later. How long a message really travelled a trace does not say; `nobubble_torch.record` does.
"""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from nobubble._version import __version__
from nobubble.errors import Fault, TraceError
from nobubble.profile.model import Profile
from nobubble.runs.difference import Placed
from nobubble.runs.reading import Op, Step, TimedOp, actions_sha256
from nobubble.schedule.document import ScheduleDocument
from nobubble.text_source import name_of

_KINDS: Final = {"F": "F", "I": "B", "W": "W", "B": "BW"}
_SPAN: Final = re.compile(r"PP:(\d+)(F|I|W|B)(\d+)")


@dataclass(frozen=True, slots=True)
class Trace:
    """The ops of one rank, in the order in which they began.

    Attributes
    ----------
    name : str
    rank : int or None
        Where the trace says it.
    host : str
    ops : tuple of TimedOp
        In ns; begins include waiting for inputs.
    """

    name: str
    rank: int | None
    host: str
    ops: tuple[TimedOp, ...]


def read_trace(source: str | Path) -> Trace:
    """Read a Chrome trace of torch.profiler, plain or gzipped.

    Raises
    ------
    TraceError
        It cannot be read, or has no actions of a pipeline.
    """
    name = name_of(source)
    data = _json(source, name)
    events = data.get("traceEvents") if isinstance(data, Mapping) else data
    if not isinstance(events, list):
        raise TraceError(name, [Fault("", "is no trace: it has no list of traceEvents")])
    about = data if isinstance(data, Mapping) else {}
    base = int(about.get("baseTimeNanoseconds", 0))
    spans = [event for event in events if _is_span(event)]
    on_device = [event for event in spans if event.get("cat") == "gpu_user_annotation"]
    ops = sorted((_op(event, base) for event in on_device or spans), key=lambda op: op.start)
    if not ops:
        raise TraceError(
            name,
            [
                Fault(
                    "/traceEvents",
                    "has no span such as PP:0F0; profile the steps of a runtime of "
                    "torch.distributed.pipelining",
                )
            ],
        )
    rank = about.get("distributedInfo", {}).get("rank")
    return Trace(name, rank, str(about.get("host_name", "")), tuple(ops))


def run_of_traces(
    traces: Sequence[Trace], schedule: ScheduleDocument, profile: Profile
) -> dict[str, Any]:
    """Give the `nobubble.run/1` of a schedule's traces, one of every rank.

    Parameters
    ----------
    traces : sequence of Trace
        Where they do not say their ranks, they are those of rank 0, 1 and so on.
    schedule : ScheduleDocument
        The schedule that ran, verified.
    profile : Profile
        Of the schedule.

    Raises
    ------
    TraceError
        A rank is missing, or the ops are not those of the schedule.
    """
    by_rank = _by_rank(traces, profile.ranks)
    steps_of = [_steps(trace, schedule, rank) for rank, trace in enumerate(by_rank)]
    count = min(len(steps) for steps in steps_of)
    steps = [
        _without_waits(profile, Step(number, tuple(steps[number] for steps in steps_of)))
        for number in range(count)
    ]
    first = min(row[0].start for row in steps[0].ranks)
    return {
        "schema": "nobubble.run/1",
        "generator": {"name": "nobubble profile from-trace", "version": __version__},
        "schedule": {
            "actions_sha256": actions_sha256(schedule),
            "profile_sha256": schedule["profile_sha256"],
        },
        "time_unit": "ns",
        "microbatches": profile.microbatches,
        "placement": list(profile.placement),
        "clock": {"shared": len({trace.host for trace in traces}) == 1, "uncertainty": 0},
        "steps": [_written(step, first) for step in steps],
    }


def _json(source: str | Path, name: str) -> Any:
    try:
        raw = Path(source).read_bytes()
        text = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
        return json.loads(text, parse_float=Decimal)
    except FileNotFoundError:
        problem = "no such file; give the traces that torch.profiler exported"
    except OSError as error:
        problem = f"cannot be read: {(error.strerror or str(error)).lower()}"
    except (ValueError, EOFError, RecursionError) as error:
        problem = f"is not valid JSON: {error}"
    raise TraceError(name, [Fault("", problem)])


def _is_span(event: Any) -> bool:
    return (
        isinstance(event, Mapping)
        and event.get("ph") == "X"
        and _SPAN.fullmatch(str(event.get("name"))) is not None
    )


def _op(event: Mapping[str, Any], base: int) -> TimedOp:
    match = _SPAN.fullmatch(str(event["name"]))
    assert match is not None
    start = base + round(Decimal(event["ts"]) * 1000)
    op = _KINDS[match[2]], int(match[1]), int(match[3])
    return TimedOp(op, start, start + round(Decimal(event["dur"]) * 1000))


def _by_rank(traces: Sequence[Trace], ranks: int) -> list[Trace]:
    known = {trace.rank: trace for trace in traces if trace.rank is not None}
    if len(traces) == ranks and set(known) == set(range(ranks)):
        return [known[rank] for rank in range(ranks)]
    names = ", ".join(trace.name for trace in traces)
    if len(traces) != ranks:
        problem = f"{len(traces)} traces for {ranks} ranks; give one for every rank"
        raise TraceError(names, [Fault("", problem)])
    if known:
        said = ", ".join(str(trace.rank) for trace in traces)
        problem = f"are of ranks {said}; give one of every rank, 0 to {ranks - 1}"
        raise TraceError(names, [Fault("", problem)])
    return list(traces)


def _steps(trace: Trace, schedule: ScheduleDocument, rank: int) -> list[tuple[TimedOp, ...]]:
    """Cut a rank's ops into steps, and check that each has those of the schedule, in order."""
    actions = schedule["ranks"][rank]["actions"]
    due: list[Op] = [
        (action["op"], action["stage"], action["microbatch"])
        for action in actions
        if action["op"] in ("F", "B", "W", "BW")
    ]
    found = [op.op for op in trace.ops]
    count, rest = divmod(len(found), len(due)) if due else (0, 0)
    if rest or found != due * count:
        pairs = zip(found, due * (count + 1), strict=False)
        place = next((n for n, (ran, planned) in enumerate(pairs) if ran != planned), len(found))
        problem = (
            f"rank {rank} ran {_called(found, place)} where the schedule has "
            f"{_called(due, place % len(due))}: another schedule, or a step that is cut off"
        )
        raise TraceError(trace.name, [Fault("/traceEvents", problem)])
    size = len(due)
    return [tuple(trace.ops[at : at + size]) for at in range(0, len(found), size)]


def _called(ops: Sequence[Op], place: int) -> str:
    if place >= len(ops):
        return "nothing more"
    kind, stage, microbatch = ops[place]
    return f"{kind}({stage}, {microbatch})"


def _without_waits(profile: Profile, step: Step) -> Step:
    """Let ops start when their inputs are there."""
    placed = Placed(profile, step)

    def started(ran: TimedOp) -> TimedOp:
        needed = placed.input_of(ran.op)
        if needed is None:
            return ran
        arrival = placed.ran(needed[0]).end + needed[1]
        return TimedOp(ran.op, min(max(ran.start, arrival), ran.end), ran.end)

    return Step(step.number, tuple(tuple(started(ran) for ran in row) for row in step.ranks))


def _written(step: Step, first: int) -> dict[str, Any]:
    zero = min(row[0].start for row in step.ranks)
    ops = Counter(ran.op for row in step.ranks for ran in row)
    assert max(ops.values()) == 1, "every op once"
    return {
        "step": step.number,
        "start": zero - first,
        "ranks": [
            {
                "rank": rank,
                "start": row[0].start - zero,
                "end": row[-1].end - zero,
                "actions": [
                    {
                        "op": ran.op[0],
                        "stage": ran.op[1],
                        "microbatch": ran.op[2],
                        "start": ran.start - zero,
                        "end": ran.end - zero,
                    }
                    for ran in row
                ],
            }
            for rank, row in enumerate(step.ranks)
        ],
    }
