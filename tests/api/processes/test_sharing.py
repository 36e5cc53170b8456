"""Tests that several services share one PostgreSQL database, and one of them may die."""

from __future__ import annotations

from collections import Counter

from nobubble_api.examples import PROFILE
from tests.api.serving import StartServer, start_server, wait_for

__all__ = ["start_server"]


def test_jobs_of_two_services_are_each_done_once(
    start_server: StartServer, postgresql_url: str
) -> None:
    """Tests 60 jobs submitted to both, one of which is killed on the way."""
    url = postgresql_url.replace("postgresql+psycopg://", "postgresql://")
    shared = ("--database-url", url, "--workers", "1")
    first, second = start_server(*shared), start_server(*shared)
    profile = {**PROFILE, "microbatches": 40, "stages": {**PROFILE["stages"], "W": {"time": 33}}}
    jobs = [
        (first, second)[seed % 2].submit(profile, method="search", seed=seed)["id"]
        for seed in range(60)
    ]
    wait_for(lambda: any('"job ended"' in line for line in first.log))
    first.kill()
    wait_for(lambda: all(second.job(job)["state"] == "done" for job in jobs), 90)
    ends = [line for line in first.log + second.log if '"job ended"' in line]
    ended = Counter(job for line in ends for job in jobs if job in line)
    assert set(ended.values()) == {1}
    assert any('"job ended"' in line for line in second.log)
    assert sorted({second.job(job)["attempts"] for job in jobs}) in ([1], [1, 2])
