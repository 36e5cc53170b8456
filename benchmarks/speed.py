"""How long things take, warm: each the median of several runs in this process or as a whole one.

Times on a shared machine drift; the last column compares with the timing of 576 ops in the same
run, which is the unit that all of them are made of.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median

from benchmarks.sizes import sized
from benchmarks.tables import print_table
from benchmarks.timings import time_again
from nobubble.named.zb_h1 import zb_h1
from nobubble.problem import Problem
from nobubble.profile.document import profile_document
from nobubble.profile.model import Profile
from nobubble.solvers.greedy import greedy
from nobubble.solvers.watch import Watch
from nobubble.solvers.zb_auto import zb_auto

SIZES = ((32, 96), (32, 256), (128, 1024))


def main() -> None:
    """Print the table."""
    small = Problem.of(sized(8, 24))
    unit = _seconds(partial(time_again, small, zb_h1(small), 1000), 21)
    rows = [["1,000 timings of 576 ops (p=8, m=24)", f"{unit * 1e3:.2f} ms", "1"]]
    for p, m in SIZES:
        profile = sized(p, m)
        problem = Problem.of(profile)
        runs = 7 if p < 128 else 3
        size = f"p={p}, m={m} ({3 * p * m:,} ops)"
        for name, solver in (("greedy, all settings", greedy), ("zb-auto, 8 settings", zb_auto)):
            taken = _seconds(partial(solver, profile, problem, Watch()), runs)
            rows.append([f"{name}, {size}", f"{taken:.3f} s", f"{taken / unit:.0f}"])
        for effort in ("fast", "normal"):
            taken, peak = _whole_process(profile, effort, runs)
            rows.append(
                [
                    f"nobubble solve --effort {effort}, {size}",
                    f"{taken:.2f} s, {peak:.2f} GiB",
                    f"{taken / unit:.0f}",
                ]
            )
    taken = _seconds(lambda: _run("--help"), 11)
    rows.append(["nobubble --help", f"{taken:.2f} s", f"{taken / unit:.0f}"])
    print_table(["", "median", "ratio"], rows)
    print(f"\nfirst run ever, all kernels compiled: {_first_run():.1f} s")


def _seconds(call: Callable[[], object], runs: int) -> float:
    """Give the median time of a call, after one that does not count."""
    call()
    taken = []
    for _ in range(runs):
        begin = time.perf_counter()
        call()
        taken.append(time.perf_counter() - begin)
    return median(taken)


def _run(*arguments: str, **environment: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "nobubble_cli", *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **environment},
    )


def _whole_process(profile: Profile, effort: str, runs: int) -> tuple[float, float]:
    """Give the median time of `nobubble solve`, and the most memory a process had, in GiB."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "profile.json"), Path(folder, "schedule.json")
        source.write_text(json.dumps(profile_document(profile), default=float))
        options = ("--effort", effort, "-o", str(target))
        taken = _seconds(lambda: _run("solve", str(source), *options), runs)
    return taken, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20


def _first_run() -> float:
    """Give the time of a solve with nothing compiled."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        profile = Path(__file__).parents[1] / "profiles" / "measured-p8.json"
        _run("solve", str(profile), NUMBA_CACHE_DIR=folder)
        return time.perf_counter() - begin


if __name__ == "__main__":
    main()
