"""Tests of a Dask cluster that loses workers, its scheduler, or those who ask."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import distributed
import pytest
import yaml
from distributed.cli import dask_scheduler, dask_worker

from nobubble.errors import InputError
from nobubble_api.examples import PROFILE
from nobubble_api.execution import dask_cluster as module
from nobubble_api.execution.backend import OverdueError, VersionError, WorkerLostError
from nobubble_api.execution.dask_cluster import DaskBackend
from nobubble_api.execution.opening import open_backend
from nobubble_api.settings import Settings
from nobubble_api.work import News
from tests.api.dask_cluster import DaskCluster, dask_cluster
from tests.api.execution.works import ROOT, become_stubborn, ignore, long_work, work_of
from tests.api.serving import wait_for

__all__ = ["dask_cluster"]


@pytest.fixture
def backend(dask_cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch) -> Iterator[DaskBackend]:
    """Give both workers of the cluster."""
    monkeypatch.setattr(module, "_GLANCE", 0.2)
    opened = DaskBackend(dask_cluster.address, None, 0.5)
    wait_for(lambda: opened.workers == 2)
    yield opened
    opened.close(wait=0)


def busy_worker(backend: DaskBackend) -> str:
    """Give the address of the worker that has the one task."""
    (address,) = [worker for worker, tasks in processing(backend).items() if tasks]
    return address


def processing(backend: DaskBackend) -> dict[str, tuple[str, ...]]:
    """Give the tasks that every worker has."""
    tasks: dict[str, tuple[str, ...]] = backend.client.processing()  # type: ignore[no-untyped-call]
    return tasks


def test_a_lost_worker_costs_nothing(backend: DaskBackend, dask_cluster: DaskCluster) -> None:
    """Tests that Dask has the job done by another worker."""
    heard: list[News] = []
    run = backend.submit(long_work(time_limit=3), heard.append, hard_limit=60)
    wait_for(lambda: heard)
    dask_cluster.replace(dask_cluster.worker_at(busy_worker(backend)))
    assert run.future.result(60).stopped_by == "time_limit"


def test_a_solve_stops_on_its_second_worker_too(
    backend: DaskBackend, dask_cluster: DaskCluster
) -> None:
    """Tests that a stop finds a solve that began again elsewhere."""
    heard: list[News] = []
    run = backend.submit(long_work(), heard.append, hard_limit=60)
    wait_for(lambda: heard)
    dask_cluster.replace(dask_cluster.worker_at(busy_worker(backend)))
    heard.clear()
    wait_for(lambda: any(news.cost is not None for news in heard))
    backend.grace = 10
    run.cancel()
    assert run.future.result(20).stopped_by == "stopped"


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_a_solve_that_ignores_the_stop_is_killed(
    backend: DaskBackend, dask_cluster: DaskCluster, is_cancelled: bool
) -> None:
    """Tests a hard limit and a stop: the worker ends, and nobody else takes the solve up."""
    backend.client.run(become_stubborn)
    heard: list[News] = []
    run = backend.submit(work_of(PROFILE), heard.append, hard_limit=60 if is_cancelled else 0.5)
    wait_for(lambda: heard)
    worker = dask_cluster.worker_at(busy_worker(backend))
    if is_cancelled:
        run.cancel()
    with pytest.raises(WorkerLostError) as caught:
        run.future.result(20)
    assert isinstance(caught.value, OverdueError) is not is_cancelled
    worker.wait(20)
    time.sleep(0.5)
    assert not any(processing(backend).values())
    for stubborn in list(dask_cluster.workers):
        dask_cluster.replace(stubborn)


def test_a_solve_that_waits_for_a_worker_is_not_overdue(backend: DaskBackend) -> None:
    """Tests that its time begins with it, not in the queue."""
    first = [backend.submit(long_work(time_limit=2), ignore, hard_limit=60) for _ in range(2)]
    last = backend.submit(work_of(PROFILE), ignore, hard_limit=0.5)
    assert last.future.result(30).status == "optimal"
    assert all(run.future.result(30) for run in first)


def test_what_nobody_wants_any_more_stops(backend: DaskBackend, dask_cluster: DaskCluster) -> None:
    """Tests that the solves of a service that went away free their workers."""
    gone = DaskBackend(dask_cluster.address, None, 0.5)
    runs = [gone.submit(long_work(seed=seed), ignore, hard_limit=60) for seed in range(2)]
    wait_for(lambda: sum(len(tasks) for tasks in processing(backend).values()) == 2)
    time.sleep(0.5)
    gone.close(wait=0)
    for run in runs:
        with pytest.raises(WorkerLostError):
            run.future.result(5)
    solved = backend.submit(work_of(PROFILE), ignore, hard_limit=60).future.result(10)
    assert solved.status == "optimal"
    assert not gone.is_alive()


def test_nothing_of_a_solve_stays_on_the_cluster(backend: DaskBackend) -> None:
    """Tests the scheduler's log and the workers after drafts and stops."""
    drafted = threading.Event()

    def hear(news: News) -> None:
        if news.document is not None:
            drafted.set()

    backend.grace = 10
    run = backend.submit(long_work(), hear, hard_limit=60)
    assert drafted.wait(30)
    run.cancel()
    run.future.result(20)
    topics = [topic for topic in backend.client.get_events() if topic.startswith("nobubble")]
    sizes = [len(str(event)) for topic in topics for event in backend.client.get_events(topic)]
    assert max(sizes) < 1000
    assert not any(backend.client.run(solves_here).values())
    scheduler: Any = backend.client
    wait_for(lambda: not scheduler.run_on_scheduler(tasks_known))


def solves_here() -> int:
    """Count what a worker remembers of solves."""
    from nobubble_api.execution import dask_worker

    return len(dask_worker._SOLVES)


def tasks_known(dask_scheduler: distributed.Scheduler) -> int:
    """Count what a scheduler remembers of tasks."""
    return len(dask_scheduler.tasks)


def test_a_lost_scheduler_gives_the_work_back(
    dask_cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests that runs fail as lost, that nothing is alive meanwhile, and that it comes back."""
    monkeypatch.setattr(module, "_GLANCE", 0.2)
    monkeypatch.setattr(module, "_CONNECT", 1.0)
    backend = DaskBackend(dask_cluster.address, None, 0.5)
    try:
        wait_for(lambda: backend.workers == 2)
        heard: list[News] = []
        run = backend.submit(long_work(), heard.append, hard_limit=60)
        wait_for(lambda: heard)
        thread = threading.Thread(target=dask_cluster.restart, args=(3.0,))
        thread.start()
        with pytest.raises(WorkerLostError):
            run.future.result(20)
        wait_for(lambda: not backend.is_alive())
        with pytest.raises(WorkerLostError):
            backend.submit(work_of(PROFILE), ignore, hard_limit=60).future.result(20)
        thread.join()
        wait_for(lambda: backend.workers == 2)
        heard.clear()
        again = backend.submit(long_work(time_limit=1), heard.append, hard_limit=60)
        assert again.future.result(30).stopped_by == "time_limit"
        assert heard
    finally:
        backend.close(wait=0)


def test_a_scheduler_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests the addresses that lead nowhere."""
    monkeypatch.setattr(module, "_CONNECT", 0.5)
    with pytest.raises(InputError, match=r"there is no Dask scheduler at tcp://127\.0\.0\.1:9"):
        open_backend("tcp://127.0.0.1:9", workers=None)
    with pytest.raises(InputError, match="no place where solves run"):
        open_backend("slurm", workers=None)


def test_another_version_on_the_cluster_is_refused(
    backend: DaskBackend, dask_cluster: DaskCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests that answers come from one version of nobubble only: on connecting, and later."""
    monkeypatch.setattr(module, "__version__", "0.0.0")
    run = backend.submit(work_of(PROFILE), ignore, hard_limit=60)
    with pytest.raises(VersionError, match=r"the service 0\.0\.0: their answers may differ"):
        run.future.result(20)
    with pytest.raises(VersionError, match=r"the Dask scheduler has nobubble .*0\.0\.0"):
        open_backend(dask_cluster.address, workers=None)


def test_the_manifest_for_kubernetes_fits_together() -> None:
    """Tests that Dask takes its commands, and that each part finds the other."""
    found = list(yaml.safe_load_all((ROOT / "docs/kubernetes.yaml").read_text()))
    ports = {
        (part["metadata"]["name"], port["port"])
        for part in found
        if part["kind"] == "Service"
        for port in part["spec"]["ports"]
    }
    (scheduler, worker, service) = [
        part["spec"]["template"]["spec"]["containers"][0]
        for part in found
        if part["kind"] == "Deployment"
    ]
    name, *arguments = scheduler["command"][1:]
    taken = dask_scheduler.main.make_context(name, arguments)
    assert ("nobubble-scheduler", int(taken.params["port"])) in ports
    name, *arguments = worker["command"][1:]
    taken = dask_worker.main.make_context(name, arguments)
    assert taken.params["scheduler"] == "tcp://nobubble-scheduler:8786"
    assert (taken.params["n_workers"], taken.params["nthreads"]) == ("1", 1)
    assert callable(import_module(taken.params["preload"][0]).dask_setup)
    settings = {one["name"]: one.get("value") for one in service["env"]}
    assert settings["NOBUBBLE_EXECUTOR"] == taken.params["scheduler"]
    assert set(settings) <= {f"NOBUBBLE_{name.upper()}" for name in Settings.model_fields}
