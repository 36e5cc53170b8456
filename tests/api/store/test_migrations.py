"""Tests that the migrations make the tables that the code works on, and can be undone."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Connection, inspect, text

from nobubble_api.store.database import Database
from nobubble_api.store.errors import StoreError
from nobubble_api.store.migrating import migrate, migrations
from nobubble_api.store.store import Store
from nobubble_api.store.tables import metadata
from tests.api.store.examples import new
from tests.api.store.processes import open_together


def undo(database: Database) -> None:
    """Take all migrations back."""
    configuration = migrations()
    with database.engine.begin() as connection:
        configuration.attributes["connection"] = connection
        command.downgrade(configuration, "base")


def definitions(connection: Connection) -> set[str]:
    """Give the indexes and checks as the database itself writes them, conditions included."""
    if connection.dialect.name == "sqlite":
        query = "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    else:
        query = (
            "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' "
            "UNION SELECT conname || pg_get_constraintdef(oid) FROM pg_constraint "
            "WHERE connamespace = 'public'::regnamespace"
        )
    found = {str(row[0]) for row in connection.execute(text(query))}
    return {each for each in found if "alembic_version" not in each}


def test_the_migrations_make_the_tables(url: str) -> None:
    """Tests that the code's tables and the migrated ones do not differ in anything."""
    migrate(url)
    database = Database(url)
    with database.engine.begin() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
        migrated = definitions(connection)
    undo(database)
    with database.engine.begin() as connection:
        assert inspect(connection).get_table_names() == ["alembic_version"]
        metadata.create_all(connection)
        assert definitions(connection) == migrated
        assert len(migrated) >= 10
    database.close()


def test_undone_and_made_again(url: str) -> None:
    """Tests that a store works after all migrations were undone and made again."""
    migrate(url)
    database = Database(url)
    undo(database)
    database.close()
    store = Store.open(url)
    store.submit(new(), most_queued=10)
    assert store.counts()["queued"] == 1
    store.close()


def test_opening_again_keeps_everything(url: str) -> None:
    """Tests that a second opening, beside the first, changes nothing."""
    first = Store.open(url)
    job, _ = first.submit(new(), most_queued=10)
    second = Store.open(url)
    assert second.job(job.id) == job
    first.close()
    second.close()


def test_a_newer_database_is_refused(url: str) -> None:
    """Tests that an older version leaves what a newer one wrote alone, and says so."""
    migrate(url)
    database = Database(url)
    with database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    database.close()
    with pytest.raises(StoreError, match=r"a newer nobubble wrote this database \(revision 9999\)"):
        Store.open(url)


@pytest.mark.parametrize("backend", ["sqlite", "postgresql"])
def test_two_processes_that_open_a_new_database_at_once(
    request: pytest.FixtureRequest, tmp_path: Path, backend: str
) -> None:
    """Tests that both can work with it, whoever makes the tables."""
    if backend == "sqlite":
        urls = [f"sqlite:///{tmp_path}/{number}/store.sqlite" for number in range(20)]
    else:
        fresh = request.getfixturevalue("new_postgresql_url")
        urls = [fresh() for _ in range(5)]
    processes = multiprocessing.get_context("spawn")
    barrier = processes.Barrier(2)
    openers = [processes.Process(target=open_together, args=(urls, barrier)) for _ in range(2)]
    for opener in openers:
        opener.start()
    for opener in openers:
        opener.join(60)
    assert [opener.exitcode for opener in openers] == [0, 0]
    for url in urls:
        store = Store.open(url)
        assert store.counts()["queued"] == 2
        store.close()
