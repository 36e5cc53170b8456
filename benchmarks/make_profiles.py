"""Write the ready profiles that come from published tables: ``make_profiles.py [DIR]``.

The tables are in ``tests/reference``; what they are is in ``profiles/README.md``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
REFERENCE = ROOT / "tests" / "reference"

Profile = dict[str, Any]

# One unit of memory is what a microbatch holds of a whole stage from F on; half of it goes with
# B, the rest with W. That a unit is a GiB is arbitrary: only its ratio to the limit matters.
_HELD_BY_HALVES = {"F": 1, "B": -0.5, "W": -0.5}


def zero_bubble_profiles() -> Iterator[Profile]:
    """Make the rows of the paper's main table, each with the memory of 1F1B and twice that."""
    for row in _table("zero_bubble_tables.json")["rows"]:
        for times in (1, 2):
            times_ms = row["time_ms"]
            yield {
                "schema": "nobubble.profile/1",
                "name": f"zero-bubble-{row['model'].lower()}-m{row['microbatches']}-{times}x",
                "time_unit": "ms",
                "memory_unit": "GiB",
                "ranks": row["ranks"],
                "microbatches": row["microbatches"],
                "placement": "linear",
                "stages": _stage(times_ms, _HELD_BY_HALVES),
                "communication": times_ms["comm"],
                "memory_limit": times * row["ranks"],
            }


def v_profiles() -> Iterator[Profile]:
    """Make the rows of the paper's ZB-V table: two chunks a rank, the memory of 1F1B."""
    for row in _table("v_schedule_tables.json")["rows"]:
        yield {
            "schema": "nobubble.profile/1",
            "name": f"zb-v-p{row['ranks']}-m{row['microbatches']}",
            "time_unit": "us",
            "memory_unit": "GiB",
            "ranks": row["ranks"],
            "microbatches": row["microbatches"],
            "placement": "v",
            "stages": _stage(row["time_us"], _HELD_BY_HALVES),
            "communication": row["time_us"]["comm"],
            "memory_limit": 2 * row["ranks"],
        }


def measured_profile() -> Profile:
    """Make the heterogeneous profile, with the memory of 1F1B."""
    table = _table("measured_profile_p8.json")
    ranks = table["ranks"]
    return {
        "schema": "nobubble.profile/1",
        "name": f"measured-p{ranks}",
        "time_unit": "us",
        "memory_unit": "MB",
        "ranks": ranks,
        "microbatches": table["microbatches"],
        "placement": "linear",
        "stages": [
            _stage(
                {op: table[op][stage] for op in "FBW"},
                {op: table[f"mem_{op}"][stage] for op in "FBW"},
            )
            for stage in range(ranks)
        ],
        "communication": table["comm"],
        "memory_limit": ranks * max(table["mem_F"]),
    }


def ready_profiles() -> dict[str, Profile]:
    """Give every profile that comes from a table, by the name of its file."""
    profiles = [*zero_bubble_profiles(), *v_profiles(), measured_profile()]
    return {f"{profile['name']}.json": profile for profile in profiles}


def profile_text(profile: Profile) -> str:
    """Give a profile as it stands in its file: a line for every key and every stage."""
    lines = []
    for key, value in profile.items():
        text = json.dumps(value)
        if isinstance(value, list):
            text = "[\n    " + ",\n    ".join(json.dumps(item) for item in value) + "\n  ]"
        lines.append(f"  {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _table(name: str) -> dict[str, Any]:
    table: dict[str, Any] = json.loads((REFERENCE / name).read_text(encoding="utf-8"))
    return table


def _stage(times: Mapping[str, float], memory: Mapping[str, float]) -> dict[str, Any]:
    return {op: {"time": times[op], "memory": memory[op]} for op in "FBW"}


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the profiles to a folder."""
    parser = argparse.ArgumentParser(description="Write the ready profiles made from tables.")
    parser.add_argument("directory", type=Path, nargs="?", default=ROOT / "profiles")
    directory: Path = parser.parse_args(arguments).directory
    directory.mkdir(parents=True, exist_ok=True)
    for name, profile in ready_profiles().items():
        (directory / name).write_text(profile_text(profile), encoding="utf-8")


if __name__ == "__main__":
    main()
