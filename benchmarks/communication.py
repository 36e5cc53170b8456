"""How long the verifier takes over the sends and receives of large schedules.

Run with: python -m benchmarks.communication
"""

from __future__ import annotations

import time
from dataclasses import replace

from benchmarks.sizes import sized
from nobubble.profile.model import Profile
from nobubble.solve import solve
from nobubble.verifier.channels import KINDS, Channels
from nobubble.verifier.verify import verify
from tests.published import uniform


def main() -> None:
    """Print a line for each schedule."""
    v = replace(uniform(16, 64, (30, 30, 20), 1, chunks=2), placement=_v(16))
    for name, profile in (("linear, p = 32, m = 256", sized(32, 256)), ("V, p = 16, m = 64", v)):
        report(name, profile)


def report(name: str, profile: Profile) -> None:
    """Print how many transfers a schedule has, and how long each check takes."""
    document = solve(profile, method="greedy")
    started = time.perf_counter()
    findings = verify(document)
    took = [f"verify {time.perf_counter() - started:.2f} s"]
    for kind in KINDS:
        started = time.perf_counter()
        findings += Channels.of(document).findings(kind)
        took.append(f"{kind} {time.perf_counter() - started:.2f} s")
    transfers = sum(
        action["op"].startswith("SEND") for rank in document["ranks"] for action in rank["actions"]
    )
    print(f"{name}: {transfers} transfers, {len(findings)} findings; {', '.join(took)}")


def _v(ranks: int) -> tuple[int, ...]:
    return (*range(ranks), *reversed(range(ranks)))


if __name__ == "__main__":
    main()
