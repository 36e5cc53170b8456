"""What an iteration takes at every memory limit, as a standalone SVG: a line for each family."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from nobubble.pictures.svg import ALARM, FONT, MUTED, RULE
from nobubble.pictures.svg_elements import INK, label, px, text

if TYPE_CHECKING:
    from nobubble.comparison.sweep import Curve, Frontier, Point

COLOURS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9")
"""Of the families, in their order: apart for every common form of colour blindness."""

LEFT, TOP, WIDTH, HEIGHT, RIGHT, BELOW = 96, 84, 760, 420, 150, 64
TALLEST: Final = 2.0
"""The longest time shown, in the least one."""

LINE: Final = 15
"""How far apart labels are at least, in pixels."""


@dataclass(frozen=True, slots=True)
class _Axis:
    """A range of figures on so many pixels."""

    low: float
    high: float
    begin: float
    end: float

    def at(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def ticks(self, most: int) -> list[float]:
        rough = (self.high - self.low) / most
        power = 10.0 ** math.floor(math.log10(rough))
        step = next(power * unit for unit in (1, 2, 5, 10) if power * unit >= rough)
        first = math.ceil(self.low / step)
        return [number * step for number in range(first, math.floor(self.high / step) + 1)]


def frontier_svg(frontier: Frontier) -> str:
    """Draw a frontier: time down the side, memory along the bottom.

    Every family is a line of steps: at a limit it takes what its best schedule takes that needs no
    more. Schedules by name are dots, at what they hold. A wide grey line lies under the best of
    all. What takes more than twice the least is above the picture.

    Parameters
    ----------
    frontier : Frontier
    """
    x, y = _axes(frontier)
    model = frontier.model
    title = f"Iteration time against memory{f': {model.name}' if model.name else ''}"
    shape = f"{model.ranks} ranks, {model.microbatches} microbatches, {len(model.layers)} layers"
    width, height = LEFT + WIDTH + RIGHT, TOP + HEIGHT + BELOW
    best = [point for _, point in frontier.best()]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" font-family="{FONT}" font-size="13" '
        f'fill="{INK}">',
        f"<title>{text(title)}</title>",
        f"<desc>{text(_description(frontier))}</desc>",
        '<rect width="100%" height="100%" rx="10" fill="#ffffff"/>',
        f'<text x="28" y="40" font-size="21" font-weight="650">{text(title)}</text>',
        label(28, 62, shape, fill=MUTED),
        *_grid(frontier, x, y),
        _steps(best, x, y, "#c3cad5", 9),
        *_lines(frontier.curves, x, y),
        *_dots(frontier.curves, x, y),
        *_names(frontier.curves, x, y),
        *_limit(frontier, x, y),
        "</svg>",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _axes(frontier: Frontier) -> tuple[_Axis, _Axis]:
    """Show times up to twice the least, and memory as far as it still changes them."""
    points = [point for curve in frontier.curves for point in curve.points]
    least = min(float(point.cost) for point in points)
    shown = [point for point in points if float(point.cost) <= TALLEST * least]
    shown += [point for point in _named(frontier.curves) if float(point.cost) <= TALLEST * least]
    memory = _widened([float(point.memory) for point in shown])
    cost = _widened([float(point.cost) for point in shown])
    return _Axis(*memory, LEFT, LEFT + WIDTH), _Axis(*cost, TOP + HEIGHT, TOP)


def _named(curves: Sequence[Curve]) -> list[Point]:
    """Give the schedules by name that hold no more than what needs most of the solved ones."""
    most = max(point.memory for curve in curves for point in curve.points)
    return [point for curve in curves for point in curve.named if point.memory <= most]


def _widened(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    spare = 0.06 * (high - low) or 0.05 * high or 1.0
    return max(low - spare, 0.0), high + spare


def _grid(frontier: Frontier, x: _Axis, y: _Axis) -> Iterator[str]:
    model = frontier.model
    for tick in y.ticks(7):
        yield f'<path d="M{LEFT} {px(y.at(tick))}h{WIDTH}" stroke="{RULE}" fill="none"/>'
        yield label(LEFT - 10, y.at(tick) + 4, f"{tick:g}", size=12, fill=MUTED, anchor="end")
    for tick in x.ticks(8):
        yield label(
            x.at(tick), TOP + HEIGHT + 22, f"{tick:g}", size=12, fill=MUTED, anchor="middle"
        )
        yield f'<path d="M{px(x.at(tick))} {TOP + HEIGHT}v5" stroke="{MUTED}" fill="none"/>'
    yield f'<path d="M{LEFT} {TOP + HEIGHT}h{WIDTH}" stroke="{MUTED}" fill="none"/>'
    memory = f"memory of a rank, {model.memory_unit}"
    yield label(LEFT + WIDTH / 2, TOP + HEIGHT + 48, memory, anchor="middle")
    name = model.objective.replace("_", " ")
    middle = TOP + HEIGHT / 2
    yield (
        f'<text transform="translate(30 {px(middle)}) rotate(-90)" text-anchor="middle">'
        f"{text(f'{name}, {model.time_unit}')}</text>"
    )


def _steps(points: Sequence[Point], x: _Axis, y: _Axis, colour: str, width: float) -> str:
    """Draw points that fall as steps, to the right end of the axis."""
    seen = [point for point in points if float(point.cost) <= y.high]
    above = len(seen) < len(points)
    path = f"M{px(x.at(float(seen[0].memory)))} {px(TOP if above else y.at(float(seen[0].cost)))}"
    path += "".join(
        f"H{px(x.at(float(point.memory)))}V{px(y.at(float(point.cost)))}" for point in seen
    )
    return (
        f'<path d="{path}H{px(x.end)}" stroke="{colour}" stroke-width="{px(width)}" '
        'stroke-linejoin="round" fill="none"/>'
    )


def _lines(curves: Sequence[Curve], x: _Axis, y: _Axis) -> Iterator[str]:
    for number, curve in enumerate(curves):
        yield _steps(curve.points, x, y, COLOURS[number % len(COLOURS)], 2.2)


def _names(curves: Sequence[Curve], x: _Axis, y: _Axis) -> Iterator[str]:
    """Name the lines at their right ends, none over another."""
    ends = sorted(
        (y.at(float(curve.points[-1].cost)), number, curve.family)
        for number, curve in enumerate(curves)
    )
    free = float(TOP - LINE)
    places = []
    for height, number, family in ends:
        free = max(height + 4, free + LINE)
        places.append((free, number, family))
    over = max(0.0, free - (TOP + HEIGHT + 4))
    for at, number, family in places:
        colour = COLOURS[number % len(COLOURS)]
        height = at - over
        end = y.at(float(curves[number].points[-1].cost))
        yield (
            f'<path d="M{px(x.end)} {px(end)}L{px(x.end + 12)} {px(height - 4)}" '
            f'stroke="{colour}" fill="none"/>'
        )
        yield label(x.end + 16, height, family)


def _dots(curves: Sequence[Curve], x: _Axis, y: _Axis) -> Iterator[str]:
    """Draw the schedules by name that lie within the axes."""
    taken: list[tuple[float, float, float]] = []
    shown = _named(curves)
    for number, curve in enumerate(curves):
        for point in curve.named:
            if point not in shown:
                continue
            memory, cost = float(point.memory), float(point.cost)
            if not (x.low <= memory <= x.high and y.low <= cost <= y.high):
                continue
            left, height = x.at(memory), y.at(cost)
            yield (
                f'<circle cx="{px(left)}" cy="{px(height)}" r="4.5" '
                f'fill="{COLOURS[number % len(COLOURS)]}" stroke="#ffffff" stroke-width="1.5"/>'
            )
            size = 6.6 * len(point.method)
            begin = left + 8 if left + 8 + size < x.end else left - 8 - size
            line = height + 4
            while any(
                abs(line - other) < LINE and begin < right and start < begin + size
                for start, right, other in taken
            ):
                line -= LINE
            taken.append((begin, begin + size, line))
            yield label(begin, line, point.method, size=12)


def _limit(frontier: Frontier, x: _Axis, y: _Axis) -> Iterator[str]:
    """Mark the memory limit that the model has, and the best schedule under it."""
    from nobubble.units import MEMORY_UNITS

    limits = [limit for limit in frontier.model.memory_limit if limit is not None]
    if not limits:
        return
    limit = min(limits) / MEMORY_UNITS[frontier.model.memory_unit]
    if not x.low <= limit <= x.high:
        return
    at = x.at(limit)
    yield (
        f'<path d="M{px(at)} {TOP}V{TOP + HEIGHT}" stroke="{ALARM}" stroke-width="1.4" '
        'stroke-dasharray="5 4" fill="none"/>'
    )
    yield label(at, TOP - 6, f"limit {limit:g}", size=12, fill=ALARM, anchor="middle")
    under = [point for _, point in frontier.best() if float(point.memory) <= limit]
    if under:
        yield (
            f'<circle cx="{px(at)}" cy="{px(y.at(float(under[-1].cost)))}" r="6.5" fill="none" '
            f'stroke="{ALARM}" stroke-width="2"/>'
        )


def _description(frontier: Frontier) -> str:
    unit, memory = frontier.model.time_unit, frontier.model.memory_unit
    said = (
        f"{family} {point.cost:f} {unit} at {point.memory:f} {memory}"
        for family, point in frontier.best()
    )
    return f"The least iteration time at every memory limit: {'; '.join(said)}."
