"""Whether the same profile and options give the same bytes, on an idle machine and on a busy one.

Every run is a process of its own (`nobubble solve`): three with nothing else running, and three
while other processes keep all cores busy. Exits with 1 when two of them differ.
"""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from os import cpu_count
from pathlib import Path
from typing import Final

from benchmarks.instances import PROFILES
from benchmarks.sizes import sized
from benchmarks.tables import announced, print_table
from nobubble.methods import Effort
from nobubble.profile.document import profile_document
from nobubble.profile.model import Profile
from tests.published import case_profile, search_cases

RUNS: Final = 3
CASE: Final = "c07"


def main() -> int:
    """Print a row for each method and profile; give the exit status."""
    rows, differ = [], 0
    with tempfile.TemporaryDirectory() as folder:
        cases = _cases(Path(folder))
        for method, effort, profile in announced(cases, lambda case: f"{case[0]} {case[2].stem}"):
            command = ["solve", str(profile), "--method", method, "--effort", effort]
            idle = [_solve(command) for _ in range(RUNS)]
            with _busy_cores():
                busy = [_solve(command) for _ in range(RUNS)]
            hashes = {sha256(written).hexdigest() for written, _ in idle + busy}
            differ += len(hashes) > 1
            document = json.loads(idle[0][0])
            rows.append(
                [
                    profile.stem,
                    method,
                    effort,
                    document["method"],
                    document["stopped_by"],
                    f"{max(taken for _, taken in idle):.1f} s",
                    f"{max(taken for _, taken in busy):.1f} s",
                    "the same" if len(hashes) == 1 else f"{len(hashes)} DIFFERENT",
                    min(hashes)[:12],
                ]
            )
    print_table(
        [
            "profile", "method", "effort", "found by", "stopped by", "idle, slowest",
            "busy, slowest", f"bytes of {2 * RUNS} runs", "sha256",
        ],
        rows,
    )  # fmt: skip
    return 1 if differ else 0


def _cases(folder: Path) -> list[tuple[str, Effort, Path]]:
    """Give methods, efforts and profiles; most stop when their work is done, not at a proof."""
    case = next(case for case in search_cases() if case["id"] == CASE)
    tight = _written(folder, CASE, case_profile(case, "rank_span"))
    half = _written(folder, "p8-m24-half", sized(8, 24, objective="makespan", memory=0.5))
    small = _written(folder, "p4-m6-half", sized(4, 6, objective="makespan", memory=0.5))
    fields = PROFILES / "every-field.yaml"
    cases: list[tuple[str, Effort, Path]] = []
    for method in ("auto", "search"):
        cases += [(method, "normal", path) for path in (tight, half, fields)]
    for method in ("cpsat", "milp"):
        cases += [(method, "fast", path) for path in (small, fields)]
    return cases


def _written(folder: Path, name: str, profile: Profile) -> Path:
    path = folder / f"{name}.json"
    path.write_text(json.dumps(profile_document(profile), default=float), encoding="utf-8")
    return path


def _solve(command: Sequence[str]) -> tuple[bytes, float]:
    """Give what nobubble writes, and the seconds that it takes."""
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "nobubble_cli", *command], check=True, stdout=subprocess.PIPE
    )
    return done.stdout, time.perf_counter() - begin


@contextmanager
def _busy_cores() -> Iterator[None]:
    """Keep every core busy with a process that counts."""
    others = [
        multiprocessing.get_context("spawn").Process(target=_count, daemon=True)
        for _ in range(cpu_count() or 1)
    ]
    for other in others:
        other.start()
    try:
        yield
    finally:
        for other in others:
            other.terminate()
        for other in others:
            other.join()


def _count() -> None:
    number = 0
    while True:
        number += 1


if __name__ == "__main__":
    sys.exit(main())
