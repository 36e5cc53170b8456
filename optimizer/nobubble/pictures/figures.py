"""The figures of a schedule as short texts, and axes with round numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from nobubble.pictures.layout import Layout
from nobubble.schedule.document import Number, ScheduleDocument
from nobubble.units import MEMORY_UNITS, TIME_UNITS, from_unit


@dataclass(frozen=True, slots=True)
class Unit:
    """The unit in which a picture gives its times or its memory.

    Attributes
    ----------
    name : str
    size : int
        Nanoseconds or bytes.
    """

    name: str
    size: int

    def number(self, whole: float) -> str:
        """Give nanoseconds or bytes in this unit, to seven digits, without the unit."""
        return plain(whole / self.size, 7)

    def text(self, whole: float) -> str:
        """Give nanoseconds or bytes in this unit, with the unit."""
        return f"{self.number(whole)} {self.name}"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a schedule, for a heading.

    Attributes
    ----------
    label, value : str
    note : str
        A few words on the value; empty where there is nothing to say.
    """

    label: str
    value: str
    note: str = ""


def time_unit(document: ScheduleDocument, layout: Layout, *, ascii_only: bool = False) -> Unit:
    """Choose the unit of time: the profile's, unless the iteration is huge or tiny in it."""
    unit = _readable(document["profile"]["time_unit"], layout.end, TIME_UNITS)
    return Unit("µs", unit.size) if unit.name == "us" and not ascii_only else unit


def memory_unit(document: ScheduleDocument, layout: Layout) -> Unit:
    """Choose the unit of memory: the profile's, unless the highest peak is huge or tiny in it."""
    peak = max(row.peak_memory for row in layout.rows)
    own = document["profile"]["memory_unit"]
    binary = own.endswith("iB")
    family = {
        name: size
        for name, size in MEMORY_UNITS.items()
        if name == own or name == "B" or name.endswith("iB") == binary
    }
    return _readable(own, peak, family)


def _readable(own: str, whole: int, units: Mapping[str, int]) -> Unit:
    if whole == 0 or 1 <= whole / units[own] < 100_000:
        return Unit(own, units[own])
    descending = sorted(units, key=lambda name: -units[name])
    for least in (10, 1):
        for name in descending:
            if whole / units[name] >= least:
                return Unit(name, units[name])
    return Unit(descending[-1], units[descending[-1]])


def plain(number: float, digits: int) -> str:
    """Give a number to that many significant digits, never with an exponent."""
    if number == 0:
        return "0"
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(number))))
    text = f"{number:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(rate: Number) -> str:
    """Give a rate in percent; only exactly 0 and 1 read as 0 and 100."""
    value = 100 * float(rate)
    if value in (0, 100):
        return f"{value:.0f} %"
    if 0 < value < 0.005:
        return "< 0.01 %"
    return "> 99.99 %" if 99.995 <= value < 100 else f"{value:.2f} %"


def objective_name(document: ScheduleDocument) -> str:
    """Give the objective in words."""
    return document["objective"].replace("_", " ")


def title(document: ScheduleDocument) -> str:
    """Give the profile's name, or what stands for it."""
    return document["profile"].get("name") or "unnamed profile"


def shape(document: ScheduleDocument) -> str:
    """Give the numbers of ranks, stages and microbatches in words."""
    profile = document["profile"]
    stages = len(document["placement"])
    counts = [_count(profile["ranks"], "rank"), _count(profile["microbatches"], "microbatch")]
    if stages != profile["ranks"]:
        counts.insert(1, _count(stages, "stage"))
    return ", ".join(counts)


def _count(number: int, thing: str) -> str:
    plural = "es" if thing.endswith("ch") else "s"
    return f"{number} {thing}{'' if number == 1 else plural}"


_STOPPED: Final = {
    "proof": "stopped by proof",
    "completed": "completed",
    "work": "stopped by the work budget",
    "time_limit": "stopped by the time limit",
    "stopped": "stopped on request",
}


def figures(document: ScheduleDocument, unit: Unit) -> tuple[Figure, ...]:
    """Give the figures that head a picture, times in that unit."""
    own = TIME_UNITS[document["profile"]["time_unit"]]

    def time(number: Number) -> str:
        return unit.text(int(from_unit(number, own)))

    metrics = document["metrics"]
    return (
        Figure("cost", time(document["cost"]), objective_name(document)),
        Figure("lower bound", time(document["lower_bound"]), document["bound"]),
        Figure("gap", percent(document["gap"]), document["status"]),
        Figure("makespan", time(metrics["makespan"])),
        Figure("rank span", time(metrics["rank_span"])),
        Figure("bubble", percent(metrics["bubble_rate"]), "busiest rank"),
        Figure("idle", percent(metrics["idle_rate"]), "all ranks"),
        Figure("method", document["method"], _STOPPED[document["stopped_by"]]),
    )


def requirement(document: ScheduleDocument) -> str:
    """Say what the schedule asks of the runtime; empty where it asks nothing."""
    if "post_validation" in document["requires"]:
        return (
            "The cost holds with optimizer post-validation; "
            "with an optimizer that synchronises all ranks it is the makespan."
        )
    return ""


def ticks(end: float, most: int) -> list[float]:
    """Give round numbers from 0 to the end, at most that many and at least one."""
    if end <= 0:
        return [0.0]
    step = round_step(end / max(1, most - 1))
    return [step * place for place in range(math.floor(end / step * (1 + 1e-9)) + 1)]


def round_step(least: float) -> float:
    """Give the least of 1, 2 and 5 times a power of ten that is not below."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(power * by for by in (1, 2, 5, 10) if power * by >= least * (1 - 1e-9))


def stage_list(stages: Iterable[int]) -> str:
    """Give stages as a short list, ``0-3, 7``."""
    runs: list[list[int]] = []
    for stage in stages:
        if runs and runs[-1][-1] == stage - 1:
            runs[-1][1:] = [stage]
        else:
            runs.append([stage])
    return ", ".join("-".join(map(str, run)) for run in runs)
