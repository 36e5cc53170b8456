"""Runs the service until it is told to stop."""

from __future__ import annotations

import socket
import sys

import uvicorn

from nobubble.errors import InputError
from nobubble_api.app import create_app
from nobubble_api.logs import LEVELS, set_up_logs
from nobubble_api.settings import Settings


def serve(settings: Settings) -> None:
    """Listen, and serve until SIGTERM or SIGINT.

    Raises
    ------
    InputError
        A setting is wrong, the address cannot be listened on, or a part does not start.
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
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    print(f"nobubble serves http://{shown}:{port} (API: /docs)", file=sys.stderr, flush=True)
    server = uvicorn.Server(config)
    with listening:
        server.run(sockets=[listening])
    if not server.started:
        raise InputError("the service did not start; the log above says why")


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
