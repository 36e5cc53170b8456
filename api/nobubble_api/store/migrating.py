"""Brings the tables of a database up to date."""

from __future__ import annotations

import threading
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, func, select

from nobubble_api.store.database import Database
from nobubble_api.store.errors import StoreError

_ALEMBIC = threading.Lock()  # it keeps what it works on in a global
# Any number that others who use the same PostgreSQL database are unlikely to lock.
_LOCK = 0x6E6F627562626C65


def migrate(url: str) -> None:
    """Bring a database to the newest revision, all or nothing.

    A simultaneous call, of another process too, waits for the first.

    Raises
    ------
    StoreError
        The database cannot be reached, or is newer than this version of nobubble.
    """
    database = Database(url, foreign_keys=False)
    try:
        if database.is_sqlite:
            database.use_write_ahead_log()
        with _ALEMBIC:
            database.write(lambda connection: _upgrade(connection, database.name))
    finally:
        database.close()


def _upgrade(connection: Connection, name: str) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
    configuration = migrations()
    scripts = ScriptDirectory.from_config(configuration)
    known = {script.revision for script in scripts.walk_revisions()}
    current = MigrationContext.configure(connection).get_current_revision()
    if current is not None and current not in known:
        raise StoreError(
            f"{name}: a newer nobubble wrote this database (revision {current}): use that version "
            "or a later one"
        )
    configuration.attributes["connection"] = connection
    command.upgrade(configuration, "head")


def migrations() -> Config:
    """Give Alembic's configuration of the migrations in this package."""
    configuration = Config()
    configuration.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    return configuration
