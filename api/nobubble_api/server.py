"""Runs the service until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import sys
from collections.abc import Callable, Iterator

import uvicorn

from nobubble.errors import InputError
from nobubble_api.app import create_app
from nobubble_api.logs import LEVELS, set_up_logs
from nobubble_api.settings import Settings


def serve(settings: Settings) -> None:
    """Listen, and serve until SIGTERM or SIGINT.

    Raises
    ------
    NobubbleError
        A setting is wrong, the address cannot be listened on, or a part cannot be had.
    """
    set_up_logs(settings.log_level)
    app = create_app(settings)
    config = uvicorn.Config(
        app,
        log_config=None,
        log_level=LEVELS["warning"],
        access_log=False,
        server_header=False,
        # Streams end when the hub closes; a client that reads slowly is cut off after this.
        timeout_graceful_shutdown=3,
        timeout_keep_alive=30,
        h11_max_incomplete_event_size=64 * 1024,
    )
    listening = _listen(settings.host, settings.port)
    with listening:
        app.state.service.open()
        host, port = listening.getsockname()[:2]
        shown = f"[{host}]" if ":" in host else host
        print(f"nobubble serves http://{shown}:{port} (API: /docs)", file=sys.stderr, flush=True)
        _Server(config, app.state.service.begin_to_stop).run(sockets=[listening])


class _Server(uvicorn.Server):
    """Ends with exit code 0 when it was told to stop: uvicorn would raise the signal once more.

    Parameters
    ----------
    config : uvicorn.Config
    stopping : callable
        Called when it is told to stop, before connections are closed.
    """

    def __init__(self, config: uvicorn.Config, stopping: Callable[[], None]) -> None:
        super().__init__(config)
        self._stopping = stopping

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGTERM and SIGINT."""
        loop = asyncio.get_running_loop()
        for sign in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(sign, self._stop, sign)
        yield

    def _stop(self, sign: int) -> None:
        self._stopping()
        self.handle_exit(sign, None)


def _listen(host: str, port: int) -> socket.socket:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InputError(
            f"cannot listen on {host}, port {port}: {reason}; choose another with --host and --port"
        ) from None
    listening.set_inheritable(False)
    return listening
