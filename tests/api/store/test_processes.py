"""Tests that several service processes share a database, and that one may die at any moment."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections import Counter, defaultdict
from pathlib import Path

from nobubble_api.store.model import Job
from nobubble_api.store.store import Store
from tests.api.store.examples import new
from tests.api.store.processes import run_all
from tests.api.store.test_jobs import states

JOBS, DIFFERENT = 1000, 900


def all_jobs(store: Store) -> list[Job]:
    """Give every job, page by page."""
    page = store.jobs(limit=200)
    found = list(page.jobs)
    while page.next is not None:
        page = store.jobs(after=page.next, limit=200)
        found += page.jobs
    return found


def test_each_job_is_solved_once_though_a_process_is_killed(
    store: Store, url: str, tmp_path: Path
) -> None:
    """Tests two processes, 1,000 jobs of 900 kinds, and kill -9 of one while it runs some."""
    for number in range(JOBS):
        store.submit(new(number % DIFFERENT), most_queued=JOBS)
    logs = {owner: tmp_path / owner for owner in ("victim", "survivor")}
    processes = multiprocessing.get_context("spawn")
    running = {
        owner: processes.Process(target=run_all, args=(url, owner, log))
        for owner, log in logs.items()
    }
    for process in running.values():
        process.start()
    pid = running["victim"].pid
    assert pid is not None
    try:
        held = _stop_with_jobs(store, pid)
    finally:
        os.kill(pid, signal.SIGKILL)
    for process in running.values():
        process.join(120)
    assert running["victim"].exitcode == -signal.SIGKILL
    assert running["survivor"].exitcode == 0

    ended = Counter(job_id for log in logs.values() for job_id in log.read_text().split())
    assert set(ended.values()) == {1}, "a job ended twice"
    jobs = all_jobs(store)
    assert len(jobs) == JOBS
    assert {job.state for job in jobs} == {"done"}
    attempts_of_kind = defaultdict(list)
    for job in jobs:
        runs = ["queued", "running"] * job.attempts or ["queued"]
        assert states(store, job.id) == [*runs, "done"]
        attempts_of_kind[job.work].append(job.attempts)
        assert job.schedule is not None
        assert store.schedule(job.schedule) is not None
    # One of each kind ran, and again only those that the killed process held.
    assert all(sorted(attempts)[:-1] in ([], [0]) for attempts in attempts_of_kind.values())
    again = {job.id for job in jobs if job.attempts > 1}
    assert again
    assert again <= held


def _stop_with_jobs(store: Store, pid: int) -> set[str]:
    """Stop a process when it has ended some jobs and holds others; give those it holds."""
    ends = time.monotonic() + 60
    while time.monotonic() < ends:
        time.sleep(0.05)
        if store.counts()["done"] < 100:
            continue
        os.kill(pid, signal.SIGSTOP)
        held = {job.id for job in store.jobs(state="running").jobs if job.owner == "victim"}
        if held:
            return held
        os.kill(pid, signal.SIGCONT)
    raise AssertionError("the process never held a job")
