"""What every picture draws: the ops of every rank as rows of numbers, and the memory they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, TypeGuard

import numpy as np
from numpy.typing import NDArray

from nobubble.problem import BW, KINDS
from nobubble.schedule.document import Action, ComputeAction, ScheduleDocument
from nobubble.units import MEMORY_UNITS, TIME_UNITS, from_unit

KIND_OF: Final = {name: kind for kind, name in enumerate(KINDS)}


@dataclass(frozen=True, slots=True)
class Row:
    """One rank: its ops in the order in which it runs them, and its memory.

    Attributes
    ----------
    rank : int
    stages : tuple of int
        The rank's stages, ascending; an op's chunk is the place of its stage among them.
    kind, stage, chunk, microbatch : ndarray of int64, shape (n,)
    start, end : ndarray of int64, shape (n,)
        In ns.
    during, after : ndarray of int64, shape (n,)
        Bytes that the rank holds while an op runs and once it has ended, static memory included.
    static_memory : int
        Bytes held before the first op.
    memory_limit : int or None
        Bytes.
    """

    rank: int
    stages: tuple[int, ...]
    kind: NDArray[np.int64]
    stage: NDArray[np.int64]
    chunk: NDArray[np.int64]
    microbatch: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    during: NDArray[np.int64]
    after: NDArray[np.int64]
    static_memory: int
    memory_limit: int | None

    @property
    def busy(self) -> int:
        """The sum of the op times, in ns."""
        return int((self.end - self.start).sum())

    @property
    def peak_memory(self) -> int:
        """The most bytes held at any moment."""
        return max(self.static_memory, int(self.during.max(initial=0)))

    @property
    def over_limit(self) -> bool:
        """Whether the peak is over the limit."""
        return self.memory_limit is not None and self.peak_memory > self.memory_limit


@dataclass(frozen=True, slots=True)
class Layout:
    """A schedule laid out in whole nanoseconds and bytes.

    Attributes
    ----------
    rows : tuple of Row
        One for every rank.
    end : int
        The last end of any op, in ns.
    chunks : int
        The most stages that a rank has.
    kinds : tuple of int
        The kinds of op that occur, ascending.
    has_memory : bool
        Whether the profile says anything about memory.
    time, memory, workspace : ndarray of int64, shape (S, 4)
        What an op of every stage and kind takes, in ns and bytes.
    forward_latency, backward_latency : tuple of int
        Nanoseconds between the ranks of stages s and s + 1: 0 where they share one.
    """

    rows: tuple[Row, ...]
    end: int
    chunks: int
    kinds: tuple[int, ...]
    has_memory: bool
    time: NDArray[np.int64]
    memory: NDArray[np.int64]
    workspace: NDArray[np.int64]
    forward_latency: tuple[int, ...]
    backward_latency: tuple[int, ...]

    @property
    def ops(self) -> int:
        """The number of ops of all ranks."""
        return sum(len(row.kind) for row in self.rows)

    @property
    def mean_time(self) -> float:
        """The mean time of the ops that take any, in ns; the end where none does."""
        lasting = sum(int(np.count_nonzero(row.end > row.start)) for row in self.rows)
        return sum(row.busy for row in self.rows) / lasting if lasting else float(self.end)


def lay_out(document: ScheduleDocument) -> Layout:
    """Lay a verified schedule document out for drawing."""
    profile = document["profile"]
    placement = document["placement"]
    memory_unit = MEMORY_UNITS[profile["memory_unit"]]
    time_unit = TIME_UNITS[profile["time_unit"]]
    memory = _whole_of(profile["stages"], "memory", memory_unit)
    workspace = _whole_of(profile["stages"], "workspace", memory_unit)
    static = [int(from_unit(held, memory_unit)) for held in profile["static_memory"]]
    limits = [
        None if limit is None else int(from_unit(limit, memory_unit))
        for limit in profile["memory_limit"]
    ]
    rows = []
    for entry in document["ranks"]:
        rank = entry["rank"]
        rows.append(
            _row(
                rank,
                tuple(stage for stage, on in enumerate(placement) if on == rank),
                [action for action in entry["actions"] if _is_op(action)],
                time_unit,
                memory,
                workspace,
                static[rank],
                limits[rank],
            )
        )
    crosses = [here != there for here, there in pairwise(placement)]
    return Layout(
        rows=tuple(rows),
        end=max((int(row.end.max(initial=0)) for row in rows), default=0),
        chunks=max(len(row.stages) for row in rows),
        kinds=tuple(sorted({int(kind) for row in rows for kind in np.unique(row.kind)})),
        has_memory=bool(memory.any() or workspace.any() or any(static))
        or any(limit is not None for limit in limits),
        time=_whole_of(profile["stages"], "time", time_unit),
        memory=memory,
        workspace=workspace,
        forward_latency=_latency(profile["communication"]["F"], crosses, time_unit),
        backward_latency=_latency(profile["communication"]["B"], crosses, time_unit),
    )


def _row(
    rank: int,
    stages: tuple[int, ...],
    ops: Sequence[ComputeAction],
    time_unit: int,
    memory: NDArray[np.int64],
    workspace: NDArray[np.int64],
    static_memory: int,
    memory_limit: int | None,
) -> Row:
    kind = np.array([KIND_OF[op["op"]] for op in ops], dtype=np.int64)
    stage = np.array([op["stage"] for op in ops], dtype=np.int64)
    change = memory[stage, kind]
    held_before = static_memory + np.cumsum(change) - change
    return Row(
        rank=rank,
        stages=stages,
        kind=kind,
        stage=stage,
        chunk=np.searchsorted(np.array(stages, dtype=np.int64), stage).astype(np.int64),
        microbatch=np.array([op["microbatch"] for op in ops], dtype=np.int64),
        start=_whole([op["start"] for op in ops], time_unit),
        end=_whole([op["end"] for op in ops], time_unit),
        # An increase counts from the start, a decrease from the end, workspace in between.
        during=held_before + np.maximum(change, 0) + workspace[stage, kind],
        after=held_before + change,
        static_memory=static_memory,
        memory_limit=memory_limit,
    )


def _is_op(action: Action) -> TypeGuard[ComputeAction]:
    return action["op"] in KIND_OF


def _whole(times: Sequence[Any], unit: int) -> NDArray[np.int64]:
    """Give times in whole ns; floats are exact enough for that up to 26 days."""
    return np.rint(np.array(times, dtype=np.float64) * unit).astype(np.int64)


def _whole_of(stages: Sequence[Mapping[str, Any]], key: str, unit: int) -> NDArray[np.int64]:
    """Give one figure of every stage and kind of op in ns or bytes, shape (S, 4)."""
    return np.array(
        [[int(from_unit(stage[kind][key], unit)) for kind in KINDS] for stage in stages],
        dtype=np.int64,
    ).reshape(len(stages), BW + 1)


def _latency(times: Sequence[Any], crosses: Sequence[bool], unit: int) -> tuple[int, ...]:
    return tuple(
        int(from_unit(time, unit)) if crossing else 0
        for time, crossing in zip(times, crosses, strict=True)
    )
