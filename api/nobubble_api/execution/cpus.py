"""How many CPUs this process may use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

_QUOTA: Final = Path("/sys/fs/cgroup/cpu.max")


def available_cpus(quota: Path = _QUOTA) -> int:
    """Count the CPUs of the machine that this process may use, by its container's quota too.

    Parameters
    ----------
    quota : Path
        The file ``cpu.max`` of control groups, version 2: microseconds, or ``max``, in a period.
    """
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        allowed, period = quota.read_text().split()
        return max(1, min(cpus, round(int(allowed) / int(period))))
    except (OSError, ValueError):  # There is no such group, or it says max.
        return cpus
