"""What Prometheus reads at /metrics."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from nobubble_api.work import Solved

_QUICK = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_LONG = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000, 3000)
_GAPS = (0.0, 0.0001, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1)


class Metrics:
    """The counters of one service."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "nobubble_requests",
            "Requests answered.",
            ("method", "route", "status"),
            registry=self.registry,
        )
        self.latency = Histogram(
            "nobubble_request_seconds",
            "Seconds to the first byte of an answer.",
            ("route",),
            buckets=_QUICK,
            registry=self.registry,
        )
        self.cache = Counter(
            "nobubble_cache",
            "Solves asked for, by whether the answer was stored.",
            ("result",),
            registry=self.registry,
        )
        self.streams = Gauge(
            "nobubble_event_streams", "Open event streams.", registry=self.registry
        )
        self._jobs = Gauge(
            "nobubble_jobs", "Jobs in the store, by state.", ("state",), registry=self.registry
        )
        self._running = Gauge(
            "nobubble_running", "Solves that run for this process.", registry=self.registry
        )
        self._seconds = Histogram(
            "nobubble_solve_seconds",
            "Seconds of a solve, by the method that found the schedule.",
            ("method",),
            buckets=_LONG,
            registry=self.registry,
        )
        self._gap = Histogram(
            "nobubble_gap",
            "Gap between the cost and the lower bound of a solve.",
            buckets=_GAPS,
            registry=self.registry,
        )

    def watch_running(self, count: Callable[[], int]) -> None:
        """Ask for the number of running solves when it is read."""
        self._running.set_function(count)

    def note_jobs(self, counts: dict[str, int]) -> None:
        """Take the number of jobs by state."""
        for state, count in counts.items():
            self._jobs.labels(state).set(count)

    def solved(self, solved: Solved) -> None:
        """Take note of a finished solve."""
        self._seconds.labels(solved.method).observe(solved.seconds)
        self._gap.observe(solved.gap)
