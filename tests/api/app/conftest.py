"""A service in this process, its solves in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from nobubble_api import service as service_module
from nobubble_api.app import create_app
from nobubble_api.service import Service
from nobubble_api.settings import Settings
from tests.api.app.threads import ThreadBackend

StartService = Callable[..., "Running"]


class Running:
    """A service that runs, and a client of it."""

    def __init__(self, client: TestClient, backend: ThreadBackend) -> None:
        self.client = client
        self.backend = backend

    @property
    def service(self) -> Service:
        """The service itself."""
        service: Service = self.client.app.state.service  # type: ignore[attr-defined]
        return service


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StartService]:
    """Start services with settings of the test's choice."""
    with ExitStack() as stack:

        def start_one(**settings: Any) -> Running:
            backends: list[ThreadBackend] = []

            def open_backend(address: str, *, workers: int | None) -> ThreadBackend:
                backends.append(ThreadBackend(workers or 2))
                return backends[-1]

            monkeypatch.setattr(service_module, "open_backend", open_backend)
            given: dict[str, Any] = {"data_dir": tmp_path / "data", "shutdown_grace": 0.2}
            app = create_app(Settings.read(**(given | settings)))
            client = stack.enter_context(TestClient(app, raise_server_exceptions=False))
            return Running(client, backends[0])

        yield start_one


@pytest.fixture
def running(start: StartService) -> Running:
    """Give a service with default settings."""
    return start()
