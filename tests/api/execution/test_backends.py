"""Tests that a solve gives the same wherever it runs, can be stopped, and survives lost workers."""

from __future__ import annotations

import os
import pickle
import signal
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from nobubble.errors import InfeasibleError, InputError, NoScheduleError
from nobubble.profile.document import profile_document
from nobubble.profile.reading import parse_profile, read_profile
from nobubble.schedule.writing import json_text
from nobubble.solve import solve
from nobubble_api.examples import LIMITED, PROFILE
from nobubble_api.execution.backend import Backend, OverdueError, WorkerLostError, open_backend
from nobubble_api.execution.cpus import available_cpus
from nobubble_api.execution.solving import portable
from nobubble_api.work import News, Solved, Work
from tests.api.dask_cluster import DaskCluster, dask_cluster
from tests.api.serving import wait_for

__all__ = ["dask_cluster"]

ROOT = Path(__file__).parents[3]


def work_of(profile: dict[str, Any], **options: Any) -> Work:
    """Give the work of a profile."""
    return Work(profile=json_text(profile_document(parse_profile(profile))), **options)


def long_work(**options: Any) -> Work:
    """Give a search of a minute."""
    profile = read_profile(ROOT / "profiles/zb-v-p16-m48.json")
    text = json_text(profile_document(profile))
    return Work(profile=text, method="search", effort="max", **options)


def ignore(news: News) -> None:
    """Listen to nothing."""


@pytest.fixture(scope="module", params=["local", "dask"])
def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
    """Give two workers on this machine, or on a Dask cluster."""
    address = "local"
    if request.param == "dask":
        cluster: DaskCluster = request.getfixturevalue("dask_cluster")
        address = cluster.address
    opened = open_backend(address, workers=2, grace=3)
    wait_for(lambda: opened.workers == 2)
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
    wait_for(lambda: heard and heard[-1].cost == solved.cost, 10)
    costs = [news.cost for news in heard if news.cost is not None]
    assert costs == sorted(costs, reverse=True)
    assert any(news.document is not None for news in heard)


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
    """Tests 40 solves on two workers, with a listener that fails."""

    def broken(news: News) -> None:
        raise RuntimeError

    works = [work_of(PROFILE, method="greedy", seed=seed) for seed in range(40)]
    runs = [backend.submit(work, broken, hard_limit=60) for work in works]
    for seed, run in enumerate(runs):
        assert f'"seed": {seed}}}'.encode() in run.future.result(60).document


def test_a_time_limit_holds(backend: Backend) -> None:
    """Tests that the solver itself ends in time."""
    begin = time.monotonic()
    solved = backend.submit(long_work(time_limit=1), ignore, hard_limit=60).future.result(60)
    assert solved.stopped_by == "time_limit"
    assert time.monotonic() - begin < 10


def test_any_function_runs_in_a_worker(backend: Backend) -> None:
    """Tests the interface of concurrent.futures."""
    assert backend.executor.submit(max, 3, 5).result(30) == 5
    with pytest.raises(ZeroDivisionError):
        backend.executor.submit(divmod, 1, 0).result(30)
    assert list(backend.executor.map(abs, [-1, 2])) == [1, 2]


def test_a_worker_that_ignores_everything_is_killed() -> None:
    """Tests the hard limit, and that the next solve has a worker again."""
    backend = open_backend("local", workers=1, grace=0.5)
    try:
        task = backend.executor.schedule(1.0, time.sleep, 60)  # type: ignore[attr-defined]
        with pytest.raises(OverdueError):
            task.result(30)
        assert backend.submit(work_of(PROFILE), ignore, hard_limit=60).future.result(60)
    finally:
        backend.close(wait=0)


def test_a_worker_killed_while_idle_is_replaced() -> None:
    """Tests both workers, one after the other, while there is nothing to do."""
    backend = open_backend("local", workers=2)
    try:
        for _ in range(2):
            wait_for(backend.is_alive, 60)
            worker = backend.executor.submit(os.getpid).result(30)
            time.sleep(0.2)
            os.kill(worker, signal.SIGKILL)
            time.sleep(0.5)
            assert backend.submit(work_of(PROFILE), ignore, hard_limit=60).future.result(60)
    finally:
        backend.close(wait=0)


def test_a_stop_in_the_queue_costs_no_worker() -> None:
    """Tests that what waits ends at once, and that the worker which is busy goes on."""
    backend = open_backend("local", workers=1)
    try:
        worker = backend.executor.submit(os.getpid).result(60)
        first = backend.submit(long_work(time_limit=2), ignore, hard_limit=60)
        second = backend.submit(long_work(), ignore, hard_limit=60)
        time.sleep(0.5)
        second.cancel()
        with pytest.raises(NoScheduleError):
            second.future.result(0.5)
        second.cancel()
        assert first.future.result(30).stopped_by == "time_limit"
        first.cancel()
        assert backend.executor.submit(os.getpid).result(30) == worker
    finally:
        backend.close(wait=0)


def test_two_places_at_once_do_not_meet() -> None:
    """Tests that the end of one leaves the other as it is."""
    one, other = open_backend("local", workers=1), open_backend("local", workers=1)
    try:
        run = other.submit(long_work(time_limit=2), ignore, hard_limit=60)
        one.submit(work_of(PROFILE), ignore, hard_limit=60).future.result(60)
        one.close(wait=0)
        assert run.future.result(30).stopped_by == "time_limit"
    finally:
        other.close(wait=0)


def test_an_error_that_does_not_travel_is_told_as_text() -> None:
    """Tests an error of a solver's own, which can not be made again from its text."""

    class OddError(Exception):
        def __init__(self, one: int, two: int) -> None:
            super().__init__(f"{one} and {two}")

    assert "OddError: 1 and 2" in str(portable(OddError(1, 2)))
    plain = pickle.loads(pickle.dumps(portable(ValueError("plain"))))
    assert isinstance(plain, ValueError)
    assert "ValueError: plain" in plain.__notes__[0]


def test_a_killed_worker_fails_its_own_task_only() -> None:
    """Tests two workers, one of which dies."""
    backend = open_backend("local", workers=2)
    try:
        first = backend.submit(long_work(time_limit=20), ignore, hard_limit=60)
        victim = backend.executor.submit(os.getpid).result(30)
        second = backend.executor.submit(time.sleep, 30)
        time.sleep(0.5)
        # The pid that answered is idle or busy with the sleep: the search runs in the other.
        os.kill(victim, signal.SIGKILL)
        with pytest.raises(WorkerLostError):
            second.result(30)
        first.cancel()
        assert first.future.result(30).stopped_by == "stopped"
    finally:
        backend.close(wait=0)


def test_workers_do_not_outlive_their_service() -> None:
    """Tests that closing kills what still runs."""
    backend = open_backend("local", workers=1)
    worker = backend.executor.submit(os.getpid).result(30)
    run = backend.submit(long_work(), ignore, hard_limit=60)
    time.sleep(0.3)
    backend.close(wait=0.1)
    with pytest.raises((WorkerLostError, NoScheduleError)):
        run.future.result(10)
    wait_for(lambda: not Path(f"/proc/{worker}").exists(), 10)
    assert not backend.is_alive()


def test_a_lost_worker_of_the_cluster_costs_nothing(dask_cluster: DaskCluster) -> None:
    """Tests that Dask has the job done by another worker."""
    backend = open_backend(dask_cluster.address, workers=None)
    try:
        wait_for(lambda: backend.workers == 2)
        heard: list[News] = []
        run = backend.submit(long_work(time_limit=3), heard.append, hard_limit=60)
        wait_for(lambda: heard)
        busy = backend.client.processing()  # type: ignore[attr-defined]
        (address,) = [worker for worker, tasks in busy.items() if tasks]
        port = int(address.rpartition(":")[2])
        victim = next(worker for worker in dask_cluster.workers if _listens(worker.pid, port))
        victim.kill()
        assert run.future.result(60).stopped_by == "time_limit"
        dask_cluster.workers.remove(victim)
        dask_cluster.workers.append(dask_cluster.start_worker())
        wait_for(lambda: backend.workers == 2)
    finally:
        backend.close(wait=0)


def _listens(pid: int, port: int) -> bool:
    """Say whether a process listens on a port."""
    inodes = {
        fields[9]
        for line in Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
        if (fields := line.split())[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port
    }
    own = {os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir()}  # noqa: PTH115
    return any(f"socket:[{inode}]" in own for inode in inodes)


def test_a_scheduler_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests the addresses that lead nowhere."""
    from nobubble_api.execution import dask_cluster as module

    monkeypatch.setattr(module, "_CONNECT", 0.5)
    with pytest.raises(InputError, match=r"there is no Dask scheduler at tcp://127\.0\.0\.1:9"):
        open_backend("tcp://127.0.0.1:9", workers=None)
    with pytest.raises(InputError, match="no place where solves run"):
        open_backend("slurm", workers=None)


def test_another_version_on_the_cluster_is_refused() -> None:
    """Tests that answers come from one version of nobubble only."""
    from nobubble_api.execution.dask_cluster import _solve

    with pytest.raises(InputError, match=r"the service 0\.0\.0: their answers may differ"):
        _solve(work_of(PROFILE).to_json(), "name", "0.0.0")


@pytest.mark.parametrize(
    ("text", "most"), [("max 100000", 10**6), ("150000 100000", 2), ("1 9", 1)]
)
def test_workers_are_as_many_as_the_container_may_use(tmp_path: Path, text: str, most: int) -> None:
    """Tests quotas of control groups."""
    quota = tmp_path / "cpu.max"
    quota.write_text(text)
    assert 1 <= available_cpus(quota) <= most
    assert available_cpus(tmp_path / "none") >= 1
