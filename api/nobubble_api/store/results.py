"""Schedules by their content, and the results of reproducible work."""

from __future__ import annotations

import re
import zlib
from datetime import datetime

from sqlalchemy import Connection, Row, func, select

from nobubble_api.store.database import insert_if_absent
from nobubble_api.store.errors import StoreError
from nobubble_api.store.tables import results, schedules
from nobubble_api.work import Solved, content_hash

# The columns that jobs and results share: `Solved`, with the hash in place of the document.
_FIGURES = ("method", "status", "stopped_by", "cost", "lower_bound", "gap", "seconds", "schedule")


_HASH = re.compile("[0-9a-f]{64}")


def lock_result(connection: Connection, result_key: str) -> None:
    """Wait for others who submit or finish the same work, until this transaction ends.

    Without it a job could be queued just when its answer is stored, and be solved again. SQLite
    has one writer at a time anyway.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(func.hashtextextended(result_key, 0))))


def keep_schedule(connection: Connection, document: bytes) -> str:
    """Store a document, unless it is there, and give its content hash."""
    name = content_hash(document)
    insert_if_absent(
        connection, schedules, {"content_hash": name, "compressed": zlib.compress(document)}
    )
    return name


def schedule(connection: Connection, name: str) -> bytes | None:
    """Give the document of a content hash, or None.

    Raises
    ------
    StoreError
        What is stored is not what was stored.
    """
    if not _HASH.fullmatch(name):
        return None
    compressed = connection.execute(
        select(schedules.c.compressed).where(schedules.c.content_hash == name)
    ).scalar_one_or_none()
    if compressed is None:
        return None
    try:
        document = zlib.decompress(compressed)
    except zlib.error:
        document = b""
    if content_hash(document) != name:
        raise StoreError(f"the stored schedule {name} is damaged: restore the database from a copy")
    return document


def keep_result(
    connection: Connection, result_key: str, figures: dict[str, object], moment: datetime
) -> None:
    """Store the result of reproducible work, unless it is there."""
    insert_if_absent(
        connection, results, {"result_key": result_key, "created_at": moment, **figures}
    )


def stored_result(connection: Connection, result_key: str) -> dict[str, object] | None:
    """Give the figures of stored work, or None."""
    row: Row[tuple[object, ...]] | None = connection.execute(
        select(*(results.c[name] for name in _FIGURES)).where(results.c.result_key == result_key)
    ).one_or_none()
    return None if row is None else dict(row._mapping)


def result(connection: Connection, result_key: str) -> str | None:
    """Give the content hash of a stored result, or None."""
    return connection.execute(
        select(results.c.schedule).where(results.c.result_key == result_key)
    ).scalar_one_or_none()


def figures_of(solved: Solved, name: str) -> dict[str, object]:
    """Give what a job and a result keep of a finished run, its document as a content hash."""
    return {
        figure: name if figure == "schedule" else getattr(solved, figure) for figure in _FIGURES
    }
