"""What every op allocates and frees, by the counters of the allocator."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, Final

import torch
from torch._C._autograd import _disable_profiler_legacy, _enable_profiler_legacy
from torch._C._profiler import ProfilerConfig, ProfilerState, _ExperimentalConfig
from torch.profiler import record_function

from nobubble_torch.measuring.samples import Held, Key
from nobubble_torch.observing import observed

_MARK: Final = "nobubble:op"
_MEMORY_ALONE: Final = ProfilerConfig(
    ProfilerState.CPU,
    False,  # no shapes
    True,  # memory
    False,  # no stacks
    False,  # no FLOPs
    False,  # no modules
    _ExperimentalConfig(),
)


class _OpBegins:
    """Tells that an op begins, which is where the one before has done all that it does.

    What an op's outputs and the loss hold is freed only after it, by the runtime: so an op counts
    until the next begins. The last of a step is always REDUCE_GRAD.
    """

    def begins_again(self) -> None:
        """Never happens: nothing steps while it is measured."""

    def op_begins(self, op: str, stage: int, microbatch: int | None) -> None:
        self.begins((op, stage))

    def begins(self, key: Key) -> None:
        raise NotImplementedError

    def step_begins(self) -> None:
        pass

    def step_ends(self) -> None:
        pass

    def op_ends(self, op: str, stage: int, microbatch: int | None) -> None:
        pass

    def posted(self, op: str, stage: int, microbatch: int) -> None:
        pass


class _CudaCounters(_OpBegins):
    """Reads the caching allocator, which counts on the host in the order of the calls."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._running: tuple[Key, int] | None = None
        self.held: dict[Key, list[Held]] = defaultdict(list)

    def begins(self, key: Key) -> None:
        now = torch.cuda.memory_allocated(self._device)
        if self._running is not None:
            last, before = self._running
            peak = torch.cuda.max_memory_allocated(self._device)
            self.held[last].append(Held(before, peak, now))
        torch.cuda.reset_peak_memory_stats(self._device)
        self._running = key, now


class _CpuMarks(_OpBegins):
    """Puts a mark among the profiler's events of allocations."""

    def __init__(self) -> None:
        self.keys: list[Key] = []

    def begins(self, key: Key) -> None:
        with record_function(_MARK):
            self.keys.append(key)


@contextmanager
def memory_measured(runtime: Any, device: torch.device) -> Iterator[dict[Key, list[Held]]]:
    """Measure the memory of the ops of one step, which runs more slowly meanwhile.

    On a GPU these are the caching allocator's counters; on the CPU, which counts nothing by
    itself, the allocations and frees that PyTorch's profiler sees. Bytes are those of the tensors:
    what the allocator rounds up and keeps on top is not in them.

    Yields
    ------
    dict of (str, int) to list of Held
        By op and stage, in the order of running; filled at the end of the block.
    """
    held: dict[Key, list[Held]] = {}
    if device.type == "cuda":
        counters = _CudaCounters(device)
        with observed(runtime, counters):
            yield held
        held.update(counters.held)
        return
    marks = _CpuMarks()
    with observed(runtime, marks):
        # The profiler that the newer one replaces: it keeps allocations in order, and says nothing.
        _enable_profiler_legacy(_MEMORY_ALONE)
        try:
            yield held
        finally:
            threads = _disable_profiler_legacy()
    for events in threads:
        held.update(_of_events(events, marks.keys))


def _of_events(events: Any, keys: list[Key]) -> dict[Key, list[Held]]:
    """Add up a thread's allocations between the marks."""
    now = peak = 0
    levels: list[tuple[int, int]] = []
    for event in events:
        if event.kind() == "memory_alloc":
            now += event.cpu_memory_usage()
            peak = max(peak, now)
        elif event.kind() == "push" and event.name() == _MARK:
            levels.append((now, peak))
            peak = now
    held: dict[Key, list[Held]] = defaultdict(list)
    for key, ((before, _), (after, highest)) in zip(keys, pairwise(levels), strict=False):
        held[key].append(Held(before, highest, after))
    return held
