"""What schedules cost when op and communication times vary around those that they are planned for.

Every op and transfer varies by itself; 1,000 replays each. All schedules of a profile see the same
noise.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from benchmarks.tables import print_table
from nobubble.errors import InfeasibleError, MethodError
from nobubble.methods import NAMED_SCHEDULES
from nobubble.profile.reading import read_profile
from nobubble.replay.distribution import Distribution
from nobubble.replay.noise import Noise
from nobubble.replay.replay import Replay, replay
from nobubble.schedule.document import ScheduleDocument
from nobubble.solve import solve
from nobubble.units import TIME_UNITS

PROFILES = ("measured-p8", "zero-bubble-6.2b-m24-1x", "zero-bubble-28.3b-m96-2x")
NOISE = (0.02, 0.05, 0.1)


def main() -> None:
    """Print a table for each profile."""
    folder = Path(__file__).parents[1] / "profiles"
    for name in PROFILES:
        profile = read_profile(folder / f"{name}.json")
        unit = TIME_UNITS[profile.time_unit]
        heads = (f"{noise:.0%}: p50, p95 (of order)" for noise in NOISE)
        print(f"\n{name}, {profile.objective} in {profile.time_unit}\n")
        rows = []
        for method in ("auto", *NAMED_SCHEDULES):
            try:
                document = solve(profile, method=method)
            except (InfeasibleError, MethodError):
                continue
            label = f"auto: {document['method']}" if method == "auto" else method
            rows.append([label, f"{float(document['cost']):.2f}", *_cells(document, unit)])
        print_table(["", "plan", *heads], rows)


def _cells(document: ScheduleDocument, unit: int) -> Iterator[str]:
    """Give the middle and the 95th percentile, and what the order adds to the mean cost."""
    for noise in NOISE:
        result = replay(document, Noise(op=noise))
        cost = Distribution.of(result.cost)
        yield f"{cost.p50 / unit:.2f}, {cost.p95 / unit:.2f} ({_of_order(result):+.2%})"


def _of_order(result: Replay) -> float:
    growth = result.cost.mean() - result.plan
    return float((growth - (result.work.mean() - result.plan_work)) / result.plan)


if __name__ == "__main__":
    main()
