"""When something happened, on the host or on the device that does the work."""

from __future__ import annotations

import time
from typing import Any, Protocol

import torch


class Clock(Protocol):
    """Marks moments cheaply, and tells their times once a step is over."""

    def begin_step(self) -> None:
        """Tie the marks that follow to the host's clock."""

    def mark(self) -> Any:
        """Mark this moment of the work on the device."""

    def times(self, marks: list[Any]) -> list[int]:
        """Give the host's time of marks of this step, in ns; waits for the device."""


class HostClock:
    """For work that is done when its call returns: the CPU."""

    def begin_step(self) -> None:
        """Do nothing: the marks are the host's times themselves."""

    def mark(self) -> int:
        """Give the time, in ns."""
        return time.perf_counter_ns()

    def times(self, marks: list[int]) -> list[int]:
        """Give them as they are."""
        return marks


class CudaClock:
    """For work that a GPU does later: an event in its stream for every mark.

    An event says how long after another it was reached. So at the start of a step the device is
    waited for, and from then on times are the host's at that moment plus what has passed since.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._origin: torch.cuda.Event = torch.cuda.Event(enable_timing=True)
        self._host = 0

    def begin_step(self) -> None:
        """Wait for the device, and take the host's time and an event at one moment."""
        torch.cuda.synchronize(self._device)
        self._origin = torch.cuda.Event(enable_timing=True)
        self._origin.record(torch.cuda.current_stream(self._device))
        self._host = time.perf_counter_ns()

    def mark(self) -> torch.cuda.Event:
        """Put an event into the stream."""
        event = torch.cuda.Event(enable_timing=True)
        event.record(torch.cuda.current_stream(self._device))
        return event

    def times(self, marks: list[torch.cuda.Event]) -> list[int]:
        """Wait for the device, and read the events."""
        torch.cuda.synchronize(self._device)
        since = [self._origin.elapsed_time(event) for event in marks]
        return [self._host + round(milliseconds * 1_000_000) for milliseconds in since]


def clock_of(device: torch.device) -> Clock:
    """Give the clock for the work of a device."""
    return CudaClock(device) if device.type == "cuda" else HostClock()
