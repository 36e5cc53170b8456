"""A real PostgreSQL server for the tests that need one, and a fresh database for each of them."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

_NUMBERS = count(1)


def _binaries() -> Path:
    """Give the folder of the newest server that is installed; skip the test without one."""
    folders = [initdb.parent for initdb in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if on_path := shutil.which("initdb"):
        folders.append(Path(on_path).resolve().parent)
    if folders:
        return max(folders, key=lambda folder: _version(folder.parent.name))
    message = "no PostgreSQL server is installed: apt-get install postgresql"
    if os.environ.get("NOBUBBLE_REQUIRE_POSTGRESQL"):
        pytest.fail(message)
    pytest.skip(message)


def _version(folder: str) -> int:
    return int(folder) if folder.isdigit() else 0


def _as_other_user() -> list[str]:
    """Give the words before a command of the server, which refuses to run as root."""
    if os.getuid() != 0:
        return []
    return ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"]


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[Path]:
    """Start a server, once for all tests of a session; give the folder of its socket."""
    binaries = _binaries()
    # Not in pytest's folders, which no other user may enter; short, as names of sockets must be.
    folder = Path(tempfile.mkdtemp(prefix="nobubble-pg-"))
    try:
        if os.getuid() == 0:
            shutil.chown(folder, "nobody", "nogroup")

        def run(*command: str) -> None:
            subprocess.run(
                [*_as_other_user(), *command], check=True, cwd=folder, stdout=subprocess.DEVNULL
            )

        data = str(folder / "data")
        run(
            *(str(binaries / "initdb"), "-D", data, "-U", "nobubble", "--auth=trust"),
            *("--no-sync", "--encoding=UTF8", "--locale=C.UTF-8"),
        )
        server = str(binaries / "pg_ctl")
        # A time zone that is unlike any machine's: nothing may depend on it.
        options = f"-k {folder} -h '' -c fsync=off -c timezone=Asia/Kolkata -c max_connections=200"
        run(server, "-D", data, "-w", "-o", options, "-l", str(folder / "log"), "start")
        try:
            yield folder
        finally:
            run(server, "-D", data, "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def new_postgresql_url(postgresql_server: Path) -> Callable[[], str]:
    """Give a function that makes an empty database and gives its URL; all go with the server."""

    def new() -> str:
        name = f"test_{next(_NUMBERS)}"
        administration = f"host={postgresql_server} user=nobubble dbname=postgres"
        with psycopg.connect(administration, autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return f"postgresql+psycopg://nobubble@/{name}?host={postgresql_server}"

    return new


@pytest.fixture
def postgresql_url(new_postgresql_url: Callable[[], str]) -> str:
    """Give the URL of an empty database."""
    return new_postgresql_url()
