"""Tests that a full disk is told of, and harms nothing that was acknowledged."""

from __future__ import annotations

import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import make_url

from nobubble_api.store.errors import StoreError
from nobubble_api.store.model import NewJob
from nobubble_api.store.store import Store
from nobubble_api.work import Work
from tests.api.store.examples import news

_SIZE = {"sqlite": "3m", "postgresql": "12m"}  # an empty database of PostgreSQL takes 8 MB


@pytest.fixture(params=["sqlite", "postgresql"])
def small_disk(request: pytest.FixtureRequest) -> Iterator[tuple[Path, str]]:
    """Mount a small disk; give its folder and the URL of a database on it."""
    backend = str(request.param)
    new_postgresql_url: Callable[..., str] | None = None
    if backend == "postgresql":
        new_postgresql_url = request.getfixturevalue("new_postgresql_url")
    folder = Path(tempfile.mkdtemp(prefix="nobubble-disk-"))
    folder.chmod(0o755)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={_SIZE[backend]}", "tmpfs", folder],
        capture_output=True,
        check=False,
    )
    if mounted.returncode != 0:
        folder.rmdir()
        pytest.skip("only root can mount a small disk")
    try:
        if new_postgresql_url is None:
            yield folder, f"sqlite:///{folder}/store.sqlite"
        else:
            url = new_postgresql_url()
            with _moved(url, folder):
                yield folder, url
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)
        folder.rmdir()


@contextmanager
def _moved(url: str, folder: Path) -> Iterator[None]:
    """Move an empty database to a folder, and delete it before the folder goes."""
    place = folder / "tablespace"
    place.mkdir()
    shutil.chown(place, "nobody", "nogroup")
    parts = make_url(url)
    name, space = str(parts.database), f"small_{parts.database}"
    administration = f"host={parts.query['host']} user=nobubble dbname=postgres"
    with psycopg.connect(administration, autocommit=True) as connection:
        connection.execute(f"CREATE TABLESPACE {space} LOCATION '{place}'".encode())
        connection.execute(f"ALTER DATABASE {name} SET TABLESPACE {space}".encode())
        try:
            yield
        finally:  # the server does not work on without the files of a database it knows
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
            connection.execute(f"DROP TABLESPACE {space}".encode())


def test_a_full_disk(small_disk: tuple[Path, str]) -> None:
    """Tests clear errors while the disk is full, and an intact store when it no longer is."""
    folder, url = small_disk
    ballast = folder / "ballast"
    ballast.write_bytes(bytes(400_000))
    store = Store.open(url)
    acknowledged = []
    with pytest.raises(StoreError, match="the disk is full: free some space") as caught:
        for _ in range(1000):
            work = Work(profile=secrets.token_hex(20_000))
            job, _ = store.submit(NewJob(work=work), most_queued=10_000)
            acknowledged.append(job)
    assert "\n" not in str(caught.value)
    assert len(acknowledged) > 5

    # Reading goes on, and nothing half written is seen.
    assert store.counts()["queued"] == len(acknowledged)
    for job in acknowledged:
        assert store.job(job.id) == job

    ballast.unlink()
    store.check()
    (claimed,) = store.claim("me", 1)
    assert claimed.id == acknowledged[0].id
    assert store.report(claimed.id, "me", news(b"a schedule")) == 3
    store.close()
    store = Store.open(url)
    if url.startswith("sqlite"):
        with store.database.engine.begin() as connection:
            check = connection.exec_driver_sql("PRAGMA integrity_check").scalar_one()
        assert check == "ok"
    assert store.counts()["queued"] == len(acknowledged) - 1
    store.close()
