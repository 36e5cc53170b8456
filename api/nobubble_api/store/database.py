"""A database: how to reach it, how to read and write it, and what its errors mean for people."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

from sqlalchemy import URL, Connection, Engine, Table, create_engine, event, func, make_url, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import (
    ArgumentError,
    IntegrityError,
    OperationalError,
    SQLAlchemyError,
)

from nobubble_api.store.errors import StoreError

_T = TypeVar("_T")

# A write that lost against a simultaneous one is begun again; a few times are more than enough.
_MOST_TRIES = 8
_SERIALIZATION_FAILURE, _DEADLOCK = "40001", "40P01"
_BUSY_TIMEOUT_MS = 5000
_WRITES = "nobubble_writes"


class Database:
    """One database, for all threads of this process.

    Parameters
    ----------
    text : str
        Its URL.
    foreign_keys : bool
        False for migrations of SQLite, which may have to write a table anew.

    Attributes
    ----------
    engine : sqlalchemy.Engine
    is_sqlite : bool
    name : str
        The URL for messages, without a password.
    """

    def __init__(self, text: str, *, foreign_keys: bool = True) -> None:
        url = _understood(text)
        self.is_sqlite = url.get_backend_name() == "sqlite"
        self.name = url.render_as_string(hide_password=True)
        if self.is_sqlite:
            self.engine = _sqlite_engine(url, foreign_keys=foreign_keys)
        else:
            self.engine = _postgresql_engine(url)
        # SQLite has one writer at a time, and processes that wait for it look again every now and
        # then: threads of one process wait for each other here, in turn and without delay.
        self._writing = threading.Lock() if self.is_sqlite else None

    def read(self, function: Callable[[Connection], _T]) -> _T:
        """Call a function that only reads, in one transaction."""
        try:
            with self.engine.begin() as connection:
                return function(connection)
        except SQLAlchemyError as error:
            raise self._explained(error) from error

    def write(self, function: Callable[[Connection], _T]) -> _T:
        """Call a function in one transaction that writes.

        The function may be called again, when a simultaneous transaction was in the way.
        """
        with self._turn():
            for attempt in range(1, _MOST_TRIES + 1):
                try:
                    with self.engine.connect() as connection:
                        connection.execution_options(**{_WRITES: True})
                        with connection.begin():
                            return function(connection)
                except SQLAlchemyError as error:
                    if attempt == _MOST_TRIES or not _lost_to_another(error):
                        raise self._explained(error) from error
                    time.sleep(0.001 * 2**attempt)
        raise AssertionError  # the last attempt returns or raises

    @contextmanager
    def _turn(self) -> Iterator[None]:
        if self._writing is None:
            yield
            return
        if not self._writing.acquire(timeout=_BUSY_TIMEOUT_MS / 1000):
            raise StoreError(f"{self.name}: {_MEANINGS[_LOCKED]}")
        try:
            yield
        finally:
            self._writing.release()

    def use_write_ahead_log(self) -> None:
        """Let SQLite readers and a writer work side by side; the file remembers it.

        Raises
        ------
        StoreError
            Where the file system cannot.
        """
        ends = time.monotonic() + _BUSY_TIMEOUT_MS / 1000
        while True:
            try:
                raw = self.engine.raw_connection()
                try:
                    mode = raw.cursor().execute("PRAGMA journal_mode = WAL").fetchone()[0]
                finally:
                    raw.close()
            except (sqlite3.Error, SQLAlchemyError) as error:
                # Another process that opens the file at the same time; SQLite does not wait here.
                if "locked" not in str(error) or time.monotonic() > ends:
                    raise self._explained(error) from error
                time.sleep(0.01)
                continue
            if mode != "wal":
                raise StoreError(
                    f"{self.name}: SQLite cannot keep a write-ahead log there (mode {mode}): use a "
                    "folder on a local disk, or a PostgreSQL database"
                )
            return

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()

    def _explained(self, error: Exception) -> StoreError:
        original = getattr(error, "orig", None) or error
        text = (str(original).strip() or type(original).__name__).splitlines()[0]
        for sign, meaning in _MEANINGS.items():
            if sign in text:
                return StoreError(f"{self.name}: {meaning} ({text})")
        return StoreError(f"{self.name}: the database cannot do this now: {text}")


_LOCKED = "database is locked"
_MEANINGS = {
    "disk is full": "the disk is full: free some space; what was stored before is intact",
    "No space left": "the disk is full: free some space; what was stored before is intact",
    "disk I/O error": "the disk is full or broken",
    _LOCKED: f"others have been writing for more than {_BUSY_TIMEOUT_MS // 1000} s: try again",
    "readonly database": "the file cannot be written: check its permissions",
    "unable to open": "the file cannot be opened: check the folder and its permissions",
    "malformed": "the file is damaged: restore it from a copy",
    "not a database": "the file is not an SQLite database: give another path",
    "connection failed": "the server cannot be reached: check that it runs, and the URL",
    "timeout": "the database does not answer in time",
}


def now(connection: Connection) -> datetime:
    """Give the time of the database's own clock: processes on other machines have others."""
    if connection.dialect.name == "sqlite":
        return datetime.now(UTC)
    moment: datetime = connection.execute(select(func.clock_timestamp())).scalar_one()
    return moment.astimezone(UTC)


def insert_if_absent(connection: Connection, table: Table, values: Mapping[str, object]) -> None:
    """Insert a row, unless one with its key is there."""
    insert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    connection.execute(insert(table).values(values).on_conflict_do_nothing())


def _lost_to_another(error: SQLAlchemyError) -> bool:
    if isinstance(error, IntegrityError):
        return True  # a unique key or a row that is referred to: both are there or gone now
    return isinstance(error, OperationalError) and getattr(error.orig, "sqlstate", None) in (
        _SERIALIZATION_FAILURE,
        _DEADLOCK,
    )


def _understood(text: str) -> URL:
    try:
        url = make_url(text)
        backend = url.get_backend_name()
    except ArgumentError:
        raise StoreError(f"the database URL cannot be read: {_ALLOWED}") from None
    if backend == "sqlite":
        if not url.database or url.database == ":memory:" or "mode=memory" in text:
            raise StoreError(f"{text}: the database must be a file: {_ALLOWED}")
        return url.set(drivername="sqlite")
    if backend in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    raise StoreError(f"{url.render_as_string()}: not a database that can be used: {_ALLOWED}")


_ALLOWED = (
    "give sqlite:///FILE (sqlite:////absolute/file), or postgresql://USER:PASSWORD@HOST/DATABASE"
)


def _sqlite_engine(url: URL, *, foreign_keys: bool) -> Engine:
    folder = Path(url.database or "").parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the folder {folder} cannot be made: {error.strerror}") from error
    engine = create_engine(url, pool_size=8, max_overflow=56, pool_timeout=10)

    @event.listens_for(engine, "connect")
    def prepare(connection: sqlite3.Connection, _: object) -> None:
        connection.isolation_level = None  # transactions begin below, not by themselves
        for pragma in (
            f"busy_timeout = {_BUSY_TIMEOUT_MS}",
            f"foreign_keys = {'ON' if foreign_keys else 'OFF'}",
            "synchronous = FULL",  # what was acknowledged outlives a power cut too
            "journal_size_limit = 67108864",
        ):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A writer waits for its turn here: one that began by reading could not wait later.
        immediate = connection.get_execution_options().get(_WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")

    return engine


def _postgresql_engine(url: URL) -> Engine:
    # A server or network that is gone is noticed in seconds; the URL may say otherwise.
    patience = {"connect_timeout": "5", "tcp_user_timeout": "10000"}
    try:
        return create_engine(
            url.set(query={**patience, **url.query}),
            pool_size=4,  # several processes share the hundred that a server allows by default
            max_overflow=12,
            pool_timeout=10,
            pool_pre_ping=True,
        )
    except ImportError as error:
        raise StoreError(
            "a PostgreSQL database needs psycopg: pip install 'nobubble[postgresql]'"
        ) from error
