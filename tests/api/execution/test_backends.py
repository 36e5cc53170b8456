"""Tests that a solve gives the same wherever it runs, can be stopped, and survives lost workers."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future

import pytest

from nobubble.compiled.loading import load_kernels
from nobubble.errors import InfeasibleError, NoScheduleError
from nobubble.profile.reading import parse_profile
from nobubble.schedule.writing import json_text
from nobubble.solve import solve
from nobubble_api.examples import LIMITED, PROFILE
from nobubble_api.execution.backend import Backend
from nobubble_api.execution.opening import open_backend
from nobubble_api.work import News, Solved
from tests.api.dask_cluster import DaskCluster, dask_cluster
from tests.api.execution.works import ignore, long_work, work_of
from tests.api.serving import wait_for

__all__ = ["dask_cluster"]


@pytest.fixture(scope="module", params=["local", "dask"])
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Give two workers on this machine, or on a Dask cluster."""
    address = "local"
    if request.param == "dask":
        cluster: DaskCluster = request.getfixturevalue("dask_cluster")
        address = cluster.address
    load_kernels()  # What is not compiled yet is compiled once, not by every worker.
    opened = open_backend(address, workers=2, grace=3)
    wait_for(lambda: opened.workers == 2 and opened.is_alive(), 60)
    yield opened
    opened.close(wait=0)


def test_an_answer_is_the_same_bytes_as_at_home(backend: Backend) -> None:
    """Tests the document and the figures beside it."""
    for options in ({}, {"method": "greedy", "seed": 4}, {"ignore_memory_limit": True}):
        run = backend.submit(work_of(LIMITED, **options), ignore, hard_limit=60)
        solved = run.future.result(60)
        document = solve(parse_profile(LIMITED), **options)
        assert solved.document == json_text(document).encode()
        assert (solved.cost, solved.gap) == (document["cost"], document["gap"])


def test_news_come_while_it_works(backend: Backend) -> None:
    """Tests that costs come down, and that the best so far comes along."""
    heard: list[News] = []
    run = backend.submit(long_work(time_limit=3), heard.append, hard_limit=60)
    solved = run.future.result(60)
    costs = [news.cost for news in heard if news.cost is not None]
    assert costs[-1] == solved.cost  # All of it was told before the end.
    assert costs == sorted(costs, reverse=True)
    drafts = [json.loads(news.document) for news in heard if news.document is not None]
    assert drafts
    assert all(draft["schema"] == "nobubble.schedule/1" for draft in drafts)
    assert drafts[-1]["cost"] >= float(solved.cost)


def test_a_run_stops_with_the_best_so_far(backend: Backend) -> None:
    """Tests a search that would go on for a minute."""
    heard: list[News] = []
    run = backend.submit(long_work(), heard.append, hard_limit=120)
    wait_for(lambda: any(news.cost is not None for news in heard))
    begin = time.monotonic()
    run.cancel()
    solved = run.future.result(20)
    assert time.monotonic() - begin < 5
    assert solved.stopped_by == "stopped"


def test_a_run_can_be_stopped_at_once_and_while_it_waits(backend: Backend) -> None:
    """Tests stops before a worker has begun: the rest of the queue goes on."""
    runs = [backend.submit(long_work(seed=seed), ignore, hard_limit=120) for seed in range(6)]
    for run in runs:
        run.cancel()
    for run in runs:
        assert _stopped(run.future)
    after = backend.submit(work_of(PROFILE), ignore, hard_limit=60)
    assert after.future.result(60).status == "optimal"


def _stopped(future: Future[Solved]) -> bool:
    try:
        return future.result(30).stopped_by == "stopped"
    except NoScheduleError:
        return True


def test_errors_arrive_with_all_that_they_know(backend: Backend) -> None:
    """Tests an infeasible profile."""
    run = backend.submit(work_of({**LIMITED, "memory_limit": 1}), ignore, hard_limit=60)
    with pytest.raises(InfeasibleError, match="rank 0 binds") as caught:
        run.future.result(60)
    assert (caught.value.rank, caught.value.limit, caught.value.needed) == (0, 2**30, 2 * 2**30)


def test_many_at_once_each_get_their_own(backend: Backend) -> None:
    """Tests 50 solves on two workers, with a listener that fails."""

    def broken(news: News) -> None:
        raise RuntimeError

    works = [work_of(PROFILE, method="greedy", seed=seed) for seed in range(50)]
    runs = [backend.submit(work, broken, hard_limit=60) for work in works]
    for seed, run in enumerate(runs):
        assert f'"seed": {seed}}}'.encode() in run.future.result(60).document


def test_a_time_limit_holds(backend: Backend) -> None:
    """Tests that the solver itself ends in time."""
    begin = time.monotonic()
    solved = backend.submit(long_work(time_limit=1), ignore, hard_limit=60).future.result(60)
    assert solved.stopped_by == "time_limit"
    assert time.monotonic() - begin < 10


def test_a_stop_after_the_end_changes_nothing(backend: Backend) -> None:
    """Tests that the outcome stays, and that the next solve is not stopped."""
    run = backend.submit(work_of(PROFILE), ignore, hard_limit=60)
    solved = run.future.result(60)
    run.cancel()
    assert run.future.result() is solved
    again = backend.submit(work_of(PROFILE), ignore, hard_limit=60)
    assert again.future.result(60).document == solved.document


def test_a_slow_listener_holds_up_nobody_else(backend: Backend) -> None:
    """Tests that other solves begin and end while somebody thinks about news."""
    wait = threading.Event()

    def think(news: News) -> None:
        wait.wait(60)

    slow = backend.submit(work_of(PROFILE), think, hard_limit=60)
    for _ in range(3):
        assert backend.submit(work_of(PROFILE), ignore, hard_limit=60).future.result(20)
    wait.set()
    assert slow.future.result(20).status == "optimal"


def test_any_function_runs_in_a_worker(backend: Backend) -> None:
    """Tests the interface of concurrent.futures."""
    assert backend.executor.submit(max, 3, 5).result(30) == 5
    with pytest.raises(ZeroDivisionError):
        backend.executor.submit(divmod, 1, 0).result(30)
    assert list(backend.executor.map(abs, [-1, 2])) == [1, 2]
