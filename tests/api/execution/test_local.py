"""Tests of worker processes on this machine: killed, stopped, replaced."""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client
from pathlib import Path

import pytest

from nobubble.errors import NoScheduleError
from nobubble_api.examples import PROFILE
from nobubble_api.execution.backend import OverdueError, WorkerLostError
from nobubble_api.execution.cpus import available_cpus
from nobubble_api.execution.local import LocalBackend
from nobubble_api.execution.opening import open_backend
from nobubble_api.execution.solving import portable
from nobubble_api.work import News
from tests.api.execution.works import ROOT, become_stubborn, ignore, large_work, long_work, work_of
from tests.api.serving import wait_for


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


def test_the_write_up_of_a_large_schedule_is_not_cut_short() -> None:
    """Tests a time limit and a grace that are over long before the schedule is verified."""
    backend = open_backend("local", workers=1, grace=0.05)
    try:
        backend.submit(work_of(PROFILE), ignore, hard_limit=60).future.result(60)
        run = backend.submit(large_work(time_limit=0.05), ignore, hard_limit=0.05)
        assert json.loads(run.future.result(60).document)["ranks"]
    finally:
        backend.close(wait=0)


@pytest.mark.parametrize("is_cancelled", [False, True])
def test_a_solve_that_ignores_the_stop_is_killed(is_cancelled: bool) -> None:
    """Tests a hard limit and a stop, and that the next solve has a worker again."""
    backend = open_backend("local", workers=1, grace=0.5)
    try:
        backend.executor.submit(become_stubborn).result(60)
        heard: list[News] = []
        limit = 60 if is_cancelled else 0.5
        run = backend.submit(work_of(PROFILE), heard.append, hard_limit=limit)
        if is_cancelled:
            wait_for(lambda: heard)
            run.cancel()
        with pytest.raises(WorkerLostError) as caught:
            run.future.result(20)
        assert isinstance(caught.value, OverdueError) is not is_cancelled
        assert backend.submit(work_of(PROFILE), ignore, hard_limit=60).future.result(60)
    finally:
        backend.close(wait=0)


def test_workers_end_with_a_service_that_is_killed(tmp_path: Path) -> None:
    """Tests that kill -9 leaves no process behind, not even one in the midst of a solve."""
    script = tmp_path / "service.py"
    script.write_text(
        "import os, time\n"
        "from nobubble_api.execution.opening import open_backend\n"
        "from tests.api.execution.works import ignore, long_work\n"
        "if __name__ == '__main__':\n"
        "    backend = open_backend('local', workers=1)\n"
        "    worker = backend.executor.submit(os.getpid).result()\n"
        "    backend.submit(long_work(), ignore, hard_limit=60)\n"
        "    print(worker, flush=True)\n"
        "    time.sleep(60)\n"
    )
    path = os.pathsep.join(str(ROOT / below) for below in ("optimizer", "api", "cli", "."))
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    ) as service:
        assert service.stdout is not None
        worker = Path("/proc") / service.stdout.readline().strip()
        time.sleep(0.5)
        assert worker.exists()
        service.kill()
    wait_for(lambda: not worker.exists() or "\nState:\tZ" in (worker / "status").read_text(), 10)


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


def test_closing_does_not_wait_for_connections() -> None:
    """Tests an end while the thread that takes connections has ended before."""
    backend = LocalBackend(1, 0.5)
    backend._is_closed = True
    with (
        contextlib.suppress(OSError, EOFError, AuthenticationError),
        Client(backend._address, authkey=b"wrong"),
    ):
        pass
    wait_for(lambda: not backend._thread.is_alive())
    closing = threading.Thread(target=backend.close, kwargs={"wait": 0}, daemon=True)
    closing.start()
    closing.join(20)
    assert not closing.is_alive()


def test_a_stop_in_the_queue_costs_no_worker() -> None:
    """Tests that what waits ends at once, and that the worker which is busy goes on."""
    backend = open_backend("local", workers=1)
    try:
        worker = backend.executor.submit(os.getpid).result(60)
        first = backend.submit(long_work(time_limit=1), ignore, hard_limit=60)
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
        run = other.submit(long_work(time_limit=1), ignore, hard_limit=60)
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


@pytest.mark.parametrize(
    ("text", "most"), [("max 100000", 10**6), ("150000 100000", 2), ("1 9", 1)]
)
def test_workers_are_as_many_as_the_container_may_use(tmp_path: Path, text: str, most: int) -> None:
    """Tests quotas of control groups."""
    quota = tmp_path / "cpu.max"
    quota.write_text(text)
    assert 1 <= available_cpus(quota) <= most
    assert available_cpus(tmp_path / "none") >= 1
