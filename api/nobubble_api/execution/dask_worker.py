"""What runs on a Dask cluster: a solve, and the calls that reach it while it runs.

Given to ``dask worker --preload``, it makes a worker ready before its first solve.
"""

from __future__ import annotations

import contextlib
import os
import threading
import zlib
from dataclasses import dataclass
from typing import Final

import distributed

from nobubble._version import __version__
from nobubble.compiled.loading import load_kernels
from nobubble.errors import NobubbleError
from nobubble_api.execution.backend import VersionError
from nobubble_api.execution.solving import portable, solve_work
from nobubble_api.work import News, Solved, Work

_LARGEST_DRAFT: Final = 2**24
"""Bytes, compressed, of a best so far that is fetched from a worker; larger ones are left out."""


def dask_setup(worker: object) -> None:
    """Load what is compiled; called by Dask when a worker starts."""
    load_kernels()


@dataclass(slots=True)
class _Solve:
    """A solve on this worker."""

    is_stopped: bool = False
    draft: bytes | None = None


_SOLVES: Final[dict[str, _Solve]] = {}


def stop_solve(name: str) -> None:
    """Ask a solve to stop with the best so far."""
    if name in _SOLVES:
        _SOLVES[name].is_stopped = True


def draft_of(name: str) -> bytes | None:
    """Give the best schedule so far, compressed."""
    return _SOLVES[name].draft if name in _SOLVES else None


def end_worker(name: str) -> None:
    """End this worker, where it still works on it; Dask gives its other tasks to others."""
    if name in _SOLVES:
        os._exit(1)


def own_version() -> str:
    """Give the version of nobubble here."""
    return __version__


def check_version(where: str, version: str, service: str) -> None:
    """Refuse a version that is not the service's.

    Raises
    ------
    VersionError
    """
    if version != service:
        raise VersionError(
            f"the Dask {where} has nobubble {version}, the service {service}: their answers may "
            "differ; install the same version on both"
        )


def solve_here(text: str, name: str, topic: str, version: str, limit: float) -> Solved:
    """Solve, on a worker.

    Parameters
    ----------
    text : str
        The work, as JSON.
    name : str
        By which `stop_solve`, `draft_of` and `end_worker` find it.
    topic : str
        Of the cluster's log, for the news: first that it has begun, by a message without ``text``.
    version : str
        Of the service.
    limit : float
        Seconds after which this worker ends, in case that nobody watches any more.
    """
    check_version("worker", __version__, version)
    worker = distributed.get_worker()
    key = worker.get_current_task()
    this = _SOLVES[name] = _Solve()
    guard = threading.Timer(limit, os._exit, (1,))
    guard.daemon = True
    guard.start()

    def is_stopped() -> bool:
        if this.is_stopped:
            return True
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"  # Nobody wants it any more.

    def log(**message: object) -> None:
        with contextlib.suppress(Exception):
            worker.log_event(topic, {"run": name, **message})

    def report(news: News) -> None:
        draft = None if news.document is None else zlib.compress(news.document, 1)
        has_draft = draft is not None and len(draft) <= _LARGEST_DRAFT
        if has_draft:
            this.draft = draft
        log(
            text=news.text,
            method=news.method,
            cost=None if news.cost is None else str(news.cost),
            lower_bound=None if news.lower_bound is None else str(news.lower_bound),
            gap=news.gap,
            has_draft=has_draft,
        )

    log()  # It has begun.
    try:
        return solve_work(Work.from_json(text), report, is_stopped)
    except NobubbleError:
        raise
    except Exception as error:
        raise portable(error) from None
    finally:
        guard.cancel()
        _SOLVES.pop(name, None)
