"""Tests that a database that cannot be used is told of in words for a person."""

from __future__ import annotations

import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import text

from nobubble.errors import NobubbleError
from nobubble_api.store import database
from nobubble_api.store.errors import StoreError
from nobubble_api.store.store import Store
from tests.api.store.examples import new, news


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("", "the database URL cannot be read: give sqlite:///FILE"),
        ("store.sqlite", "the database URL cannot be read: give sqlite:///FILE"),
        ("nonsense://x", "nonsense://x: not a database that can be used: give sqlite:///FILE"),
        ("sqlite://", "the database must be a file"),
        ("sqlite:///:memory:", "the database must be a file"),
        ("mysql://me:secret@host/name", r"mysql://me:\*\*\*@host/name: not a database that can"),
        ("postgresql://me:secret@127.0.0.1:1/x", "the server cannot be reached"),
        ("postgres://me:secret@127.0.0.1:1/x", r"me:\*\*\*@127.0.0.1:1/x: the server cannot"),
    ],
)
def test_a_database_that_is_none(url: str, message: str) -> None:
    """Tests that the message says what to give instead, and never a password."""
    with pytest.raises(StoreError, match=message) as caught:
        Store.open(url)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, NobubbleError)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    """Tests that another file is refused and left as it is."""
    path = tmp_path / "profile.json"
    path.write_text('{"schema": "nobubble.profile/1"}' * 100)
    before = path.read_bytes()
    with pytest.raises(StoreError, match="not an SQLite database: give another path"):
        Store.open(f"sqlite:///{path}")
    assert path.read_bytes() == before


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    """Tests that a path below a file is refused with the folder's name, a missing one made."""
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"the folder .*/file/below cannot be made"):
        Store.open(f"sqlite:///{tmp_path}/file/below/store.sqlite")
    with pytest.raises(StoreError, match="the file cannot be opened"):
        Store.open(f"sqlite:///{tmp_path}")
    Store.open(f"sqlite:///{tmp_path}/new/folder/store.sqlite").close()
    assert (tmp_path / "new" / "folder" / "store.sqlite").exists()


def test_a_writer_that_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that a store that another process locks can be read, and says why it cannot write."""
    monkeypatch.setattr(database, "_BUSY_TIMEOUT_MS", 50)
    path = tmp_path / "store.sqlite"
    store = Store.open(f"sqlite:///{path}")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="others have been writing"):
        store.check()
    with ThreadPoolExecutor(4) as pool:
        checks = [pool.submit(store.check) for _ in range(4)]
    assert all(isinstance(check.exception(), StoreError) for check in checks)
    assert store.counts()["queued"] == 0
    other.execute("ROLLBACK")
    other.close()
    store.check()
    store.close()


def test_a_healthy_store_passes_its_check(store: Store) -> None:
    """Tests that a check may be made any number of times."""
    store.check()
    store.check()


def test_connections_that_the_server_ended(postgresql_url: str) -> None:
    """Tests that the store connects again by itself when the server was restarted."""
    store = Store.open(postgresql_url)
    store.submit(new(), most_queued=10)
    other = database.Database(postgresql_url)
    with other.engine.begin() as connection:
        connection.execute(
            text(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND datname = current_database()"
            )
        )
    other.close()
    assert store.counts()["queued"] == 1
    store.submit(new(2), most_queued=10)
    store.close()


def test_what_sqlite_promises(tmp_path: Path) -> None:
    """Tests the settings that make an acknowledged job outlive a crash and a power cut."""
    store = Store.open(f"sqlite:///{tmp_path}/store.sqlite")
    with store.database.engine.begin() as connection:
        found = {
            pragma: connection.exec_driver_sql(f"PRAGMA {pragma}").scalar_one()
            for pragma in ("journal_mode", "synchronous", "busy_timeout", "foreign_keys")
        }
    full = 2
    assert found == {
        "journal_mode": "wal",
        "synchronous": full,
        "busy_timeout": 5000,
        "foreign_keys": 1,
    }
    store.close()


def test_many_threads_share_a_store(store: Store) -> None:
    """Tests that threads which write at once neither fail nor lose anything."""
    job, _ = store.submit(new(), most_queued=10)
    store.claim("me", 1)
    failures: list[Exception] = []

    def work(number: int) -> None:
        try:
            for _ in range(10):
                store.report(job.id, "me", news())
                store.submit(new(number, key="one key"), most_queued=100)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(1,)) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert store.counts()["queued"] == 1
    assert [event.sequence for event in store.events(job.id)] == list(range(1, 163))
