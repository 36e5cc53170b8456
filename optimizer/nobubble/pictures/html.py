"""A schedule as one self-contained page: a Gantt to explore, memory curves, and the figures.

The page asks nothing of any server; its style and script are the files in `page/`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from typing import Any, Final

import numpy as np

from nobubble.pictures import figures as words
from nobubble.pictures.layout import Layout, Row, lay_out
from nobubble.pictures.palette import HUES, LIGHTEST, MEANINGS, shade
from nobubble.problem import KINDS
from nobubble.schedule.document import ScheduleDocument
from nobubble.units import TIME_UNITS, from_unit

_SCRIPTS: Final = ("schedule.js", "view.js", "rows.js", "marks.js", "draw.js", "interact.js")
_MANY_RANKS: Final = 16


def html(document: ScheduleDocument) -> str:
    """Make the page of a verified schedule."""
    layout = lay_out(document)
    generator = document["generator"]
    requirement = words.requirement(document)
    parts = {
        "title": escape(words.title(document)),
        "shape": escape(words.shape(document)),
        "style": _file("page.css"),
        "figures": "\n".join(_figures(document, layout)),
        "requirement": f'<p class="requirement">{escape(requirement)}</p>' if requirement else "",
        "legend": "\n".join(_legend(document, layout)),
        "open": " open" if len(layout.rows) <= _MANY_RANKS else "",
        "columns": "".join(f'<th scope="col">{escape(name)}</th>' for name in _columns(layout)),
        "ranks": "\n".join(_ranks(document, layout)),
        "made": escape(
            f"{generator['name']} {generator['version']}, profile {document['profile_sha256'][:12]}"
        ),
        "data": _embedded(_data(document, layout)),
        "script": page_script().strip("\n"),
    }
    # In one pass, so that nothing that is filled in is taken for a place to fill in.
    return re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], _file("page.html"))


def page_script() -> str:
    """Give the text of the page's script element, the same on every page: for policies by hash."""
    return "\n" + "\n".join(map(_file, _SCRIPTS)) + "\n"


def _file(name: str) -> str:
    return files("nobubble.pictures").joinpath("page", name).read_text("utf-8").rstrip("\n")


def _embedded(data: dict[str, Any]) -> str:
    """Give JSON that a script element can hold: nothing in it ends the element or opens another."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _figures(document: ScheduleDocument, layout: Layout) -> Iterator[str]:
    for figure in words.figures(document, words.time_unit(document, layout)):
        yield (
            f"<div><dt>{escape(figure.label)}</dt><dd>{escape(figure.value)}</dd>"
            f'<dd class="note">{escape(figure.note)}</dd></div>'
        )


def _legend(document: ScheduleDocument, layout: Layout) -> Iterator[str]:
    shown = min(layout.chunks, 4)
    for kind in layout.kinds:
        swatches = "".join(
            f'<i style="background:{shade(kind, chunk, shown)}"></i>' for chunk in range(shown)
        )
        yield (f'<li><span class="swatches">{swatches}</span>{KINDS[kind]} {MEANINGS[kind]}</li>')
    yield '<li><i class="idle"></i>idle</li>'
    if layout.chunks > 1:
        yield "<li>lighter: later stages of the rank</li>"
    if any(row.memory_limit is not None for row in layout.rows):
        yield '<li><i class="limit"></i>memory limit</li>'
    if _bound(document) is not None:
        yield '<li><i class="bound"></i>lower bound</li>'


def _columns(layout: Layout) -> list[str]:
    columns = ["rank", "stages", "busy", "busy time", "first start", "last end"]
    return [*columns, "peak memory", "limit"] if layout.has_memory else columns


def _ranks(document: ScheduleDocument, layout: Layout) -> Iterator[str]:
    time, memory = words.time_unit(document, layout), words.memory_unit(document, layout)
    for row in layout.rows:
        cells = [
            str(row.rank),
            words.stage_list(row.stages),
            words.percent(row.busy / layout.end if layout.end else 0),
            time.text(row.busy),
            time.text(int(row.start.min(initial=layout.end))),
            time.text(int(row.end.max(initial=0))),
        ]
        if layout.has_memory:
            limit = "none" if row.memory_limit is None else memory.text(row.memory_limit)
            cells += [memory.text(row.peak_memory), limit]
        over = ' class="over"' if row.over_limit else ""
        yield f"<tr{over}>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"


def _data(document: ScheduleDocument, layout: Layout) -> dict[str, Any]:
    """Give what the script draws: whole nanoseconds and bytes."""
    time, memory = words.time_unit(document, layout), words.memory_unit(document, layout)
    costs = np.stack([layout.time, layout.memory, layout.workspace], axis=2)
    return {
        "time": {"name": time.name, "size": time.size},
        "memory": {"name": memory.name, "size": memory.size} if layout.has_memory else None,
        "end": layout.end,
        "bound": _bound(document),
        "microbatches": document["profile"]["microbatches"],
        "placement": document["placement"],
        "kinds": KINDS,
        "kindNames": MEANINGS,
        "hues": HUES,
        "lightest": LIGHTEST,
        "stages": costs.tolist(),
        "latency": {"F": layout.forward_latency, "B": layout.backward_latency},
        "rows": [_row_data(row) for row in layout.rows],
    }


def _bound(document: ScheduleDocument) -> int | None:
    """Give when a schedule at the lower bound would end, in ns; None where that marks nothing."""
    if document["objective"] != "makespan" or document["gap"] == 0:
        return None
    own = TIME_UNITS[document["profile"]["time_unit"]]
    return int(from_unit(document["lower_bound"], own))


def _row_data(row: Row) -> dict[str, Any]:
    """Give a rank's ops: 4 * chunk + kind, microbatch, and the idle time before each."""
    return {
        "rank": row.rank,
        "stages": row.stages,
        "limit": row.memory_limit,
        "static": row.static_memory,
        "letters": (4 * row.chunk + row.kind).tolist(),
        "microbatches": row.microbatch.tolist(),
        "waits": (row.start - np.append(0, row.end[:-1])).tolist(),
    }
