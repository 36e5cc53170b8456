"""A service that answers what a test tells it to."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

JOB_ID = "0123456789abcdef0123456789abcdef"


@dataclass(frozen=True)
class Reply:
    """An answer; `status` 0 is none: the connection is closed."""

    status: int
    body: str | bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    waits_for: threading.Event | None = None
    breaks_off: bool = False

    @property
    def content(self) -> bytes:
        """The body as bytes."""
        return self.body.encode() if isinstance(self.body, str) else self.body


@dataclass(frozen=True)
class Request:
    """What was asked."""

    call: str
    query: str
    headers: Mapping[str, str]
    body: str

    def json(self) -> Any:
        """Give the body."""
        return json.loads(self.body)


class FakeService:
    """Answers every call with the replies set for it, one after the other; the last one stays."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._replies: dict[str, list[Reply]] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def on(self, call: str, *replies: Reply) -> None:
        """Set the replies to a call such as ``POST /v1/solve``."""
        self._replies[call] = list(replies)

    def calls(self) -> list[str]:
        """Give the calls that came, in order."""
        return [request.call for request in self.requests]

    def close(self) -> None:
        """End."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _reply(self, request: Request) -> Reply:
        self.requests.append(request)
        replies = self._replies.get(request.call)
        if replies is None:
            return problem("not-found", 404, f"there is no {request.call}")
        return replies.pop(0) if len(replies) > 1 else replies[0]

    def _handler(service) -> type[BaseHTTPRequestHandler]:  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self) -> None:
                path, _, query = self.path.partition("?")
                length = int(self.headers.get("Content-Length", 0))
                body = self.rfile.read(length).decode()
                call = f"{self.command} {path}"
                reply = service._reply(Request(call, query, dict(self.headers), body))
                if reply.waits_for is not None:
                    reply.waits_for.wait(20)
                if reply.status == 0:
                    self.close_connection = True
                    return
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                length = len(reply.content) + (100 if reply.breaks_off else 0)
                self.send_header("Content-Length", str(length))
                self.end_headers()
                self.wfile.write(reply.content)
                self.close_connection = reply.breaks_off

            do_GET = do_POST = do_DELETE = _answer  # noqa: N815

            def log_message(self, format: str, *arguments: object) -> None:
                """Say nothing."""

        return Handler


def problem(slug: str, status: int, detail: str, *, retry_after: object = "", **more: Any) -> Reply:
    """Give a problem document."""
    document = {
        "type": f"/problems/{slug}",
        "title": slug,
        "status": status,
        "detail": detail,
        **more,
    }
    headers = {"Content-Type": "application/problem+json"}
    if retry_after != "":
        headers["Retry-After"] = str(retry_after)
    return Reply(status, json.dumps(document), headers)


def schedule(text: str, tag: str | None = None) -> Reply:
    """Give a schedule, with its hash as tag unless there is another."""
    tag = f'"{hashlib.sha256(text.encode()).hexdigest()}"' if tag is None else tag
    headers = {"Content-Type": "application/json", **({"ETag": tag} if tag else {})}
    return Reply(200, text, headers)


def job(state: str = "queued", **changes: Any) -> dict[str, Any]:
    """Give a job."""
    at = f"/v1/jobs/{JOB_ID}"
    return {
        "id": JOB_ID,
        "state": state,
        "name": None,
        "tags": [],
        "created_at": "2026-01-02T03:04:05.678901Z",
        "started_at": None,
        "finished_at": None,
        "attempts": 0,
        "options": {"method": "auto", "effort": "normal", "seed": 0},
        "progress": None,
        "status": None,
        "stopped_by": None,
        "seconds": None,
        "schedule": None,
        "problem": None,
        "links": {"self": at, "events": f"{at}/events", "schedule": f"{at}/schedule"},
        **changes,
    }


def answer(document: Mapping[str, Any], status: int = 200) -> Reply:
    """Give JSON."""
    return Reply(status, json.dumps(document), {"Content-Type": "application/json"})


def stream(*events: tuple[int, str, Mapping[str, Any]], breaks_off: bool = False) -> Reply:
    """Give a stream of events."""
    text = ": still here\n\n" + "".join(
        f"id: {number}\nevent: {kind}\n"
        + "".join(f"data: {line}\n" for line in json.dumps(data, indent=1).splitlines())
        + "\n"
        for number, kind, data in events
    )
    headers = {"Content-Type": "text/event-stream"}
    return Reply(200, text, headers, breaks_off=breaks_off)
