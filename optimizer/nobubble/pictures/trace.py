"""A schedule as a trace for chrome://tracing and ui.perfetto.dev.

The format is Google's "Trace Event Format": complete events (X) on one thread for every rank, flow
events (s, f) for the transfers between ranks, and counter events (C) for the memory of every rank.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from nobubble.pictures import figures as words
from nobubble.pictures.layout import Layout, Row, lay_out
from nobubble.problem import KINDS, F, W
from nobubble.schedule.document import ScheduleDocument

_MILLISECOND = 10**6


def trace(document: ScheduleDocument) -> str:
    """Write a verified schedule as a trace; times are in microseconds, as the format has them."""
    layout = lay_out(document)
    events = [*_names(document, layout), *_ops(layout), *_transfers(document, layout)]
    if layout.has_memory:
        events += _memory(document, layout)
    time = words.time_unit(document, layout, ascii_only=True)
    said = {figure.label: figure.value for figure in words.figures(document, time)}
    unit = "ms" if layout.end >= _MILLISECOND else "ns"
    head = json.dumps({"displayTimeUnit": unit, "otherData": said})
    return f'{head[:-1]}, "traceEvents": [\n' + ",\n".join(events) + "\n]}\n"


def _names(document: ScheduleDocument, layout: Layout) -> Iterator[str]:
    yield json.dumps(
        {"ph": "M", "pid": 0, "name": "process_name", "args": {"name": words.title(document)}}
    )
    for row in layout.rows:
        name = f"rank {row.rank}"
        about = {"ph": "M", "pid": 0, "tid": row.rank}
        yield json.dumps(about | {"name": "thread_name", "args": {"name": name}})
        yield json.dumps(about | {"name": "thread_sort_index", "args": {"sort_index": row.rank}})


def _ops(layout: Layout) -> Iterator[str]:
    for row in layout.rows:
        for kind, stage, microbatch, start, end in _listed(row):
            yield (
                f'{{"ph": "X", "pid": 0, "tid": {row.rank}, "cat": "{KINDS[kind]}", '
                f'"name": "{KINDS[kind]} {microbatch}", "ts": {_us(start)}, '
                f'"dur": {_us(end - start)}, '
                f'"args": {{"stage": {stage}, "microbatch": {microbatch}}}}}'
            )


def _transfers(document: ScheduleDocument, layout: Layout) -> Iterator[str]:
    """Give a flow from every op to the op of a neighbouring stage on another rank."""
    placement = document["placement"]
    start_of = {
        (kind == F, stage, microbatch): start
        for row in layout.rows
        for kind, stage, microbatch, start, _ in _listed(row)
        if kind != W
    }
    number = 0
    for row in layout.rows:
        for kind, stage, microbatch, start, end in _listed(row):
            target = stage + 1 if kind == F else stage - 1
            if kind == W or not 0 <= target < len(placement) or placement[target] == row.rank:
                continue
            number += 1
            about = f'"pid": 0, "cat": "transfer", "name": "{KINDS[F] if kind == F else "B"}"'
            # A flow belongs to the op that runs at its moment: it leaves just before the end.
            leaves = max(start, end - 1)
            arrives = start_of[kind == F, target, microbatch]
            yield f'{{"ph": "s", "id": {number}, "tid": {row.rank}, "ts": {_us(leaves)}, {about}}}'
            yield (
                f'{{"ph": "f", "bp": "e", "id": {number}, "tid": {placement[target]}, '
                f'"ts": {_us(arrives)}, {about}}}'
            )


def _memory(document: ScheduleDocument, layout: Layout) -> Iterator[str]:
    """Give the memory of every rank wherever it changes, static memory included."""
    unit = words.memory_unit(document, layout)
    digits = len(str(len(layout.rows) - 1))
    for row in layout.rows:
        about = f'"ph": "C", "pid": 0, "name": "memory of rank {row.rank:0{digits}}"'
        moments = [0]
        held = [row.static_memory]
        for start, end, during, after in zip(
            row.start.tolist(),
            row.end.tolist(),
            row.during.tolist(),
            row.after.tolist(),
            strict=True,
        ):
            for moment, level in ((start, during), (end, after)):
                if moment == moments[-1]:
                    held[-1] = level
                elif level != held[-1]:
                    moments.append(moment)
                    held.append(level)
        for moment, level in zip(moments, held, strict=True):
            value = f'"{unit.name}": {unit.number(level)}'
            yield f'{{{about}, "ts": {_us(moment)}, "args": {{{value}}}}}'


def _listed(row: Row) -> Iterator[tuple[int, int, int, int, int]]:
    """Give kind, stage, microbatch, start and end of every op."""
    return zip(
        row.kind.tolist(),
        row.stage.tolist(),
        row.microbatch.tolist(),
        row.start.tolist(),
        row.end.tolist(),
        strict=True,
    )


def _us(ns: int) -> str:
    """Give nanoseconds in microseconds, exactly."""
    whole, rest = divmod(ns, 1000)
    return f"{whole}.{rest:03}".rstrip("0") if rest else str(whole)
