"""Calls of a nobubble service."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import httpx

from nobubble.errors import InputError
from nobubble_cli.remote.problems import ServerError, error_of

_TRIES: Final = 5
_LONGEST_WAIT: Final = 30.0
"""Seconds to wait at most when the service says that it is busy."""
_CONNECT: Final = 10.0
_SILENCE: Final = 60.0
"""Seconds without a byte after which a connection is lost; streams say something every 15."""
_BUSY: Final = (429, 503)


class Service:
    """A service, and who asks it.

    Parameters
    ----------
    url : str
    token : str or None
    source : str
        What messages call the profile that is sent.
    """

    def __init__(self, url: str, token: str | None, source: str = "<profile>") -> None:
        self.url = url.rstrip("/")
        if not self.url.startswith(("http://", "https://")):
            raise InputError(f"--server: {url!r} is no address; give http://host:port")
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        try:
            self._client = httpx.Client(
                base_url=self.url,
                headers=headers,
                timeout=httpx.Timeout(_SILENCE, connect=_CONNECT),
            )
        except (httpx.InvalidURL, ValueError) as error:
            raise InputError(f"--server: {url!r} is no address: {error}") from None
        self._source = source

    def call(
        self,
        method: str,
        path: str,
        body: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """Ask, and ask again when the service is busy.

        Raises
        ------
        NobubbleError
            What the service answers instead, or that it cannot be reached.
        """
        sent = dict(headers or {})
        if body is not None:
            sent["Content-Type"] = "application/json"
        for attempt in range(_TRIES):
            try:
                answer = self._client.request(
                    method, path, content=None if body is None else body.encode(), headers=sent
                )
            except httpx.HTTPError as error:
                raise self._lost(error) from None
            if answer.status_code not in _BUSY or attempt == _TRIES - 1:
                break
            time.sleep(_wait(answer))
        if answer.is_success:
            return answer
        raise error_of(_problem(answer), self._source)

    def json(self, method: str, path: str, body: str | None = None, **headers: str) -> Any:
        """Ask for JSON."""
        return _parsed(self.call(method, path, body, headers))

    def follow(self, job: Mapping[str, Any], told: Callable[[str], None]) -> dict[str, Any]:
        """Follow a job to its end, across lost connections, and give it as it ended.

        Parameters
        ----------
        job : mapping
        told : callable
            Takes a line for everything that happens.
        """
        last, losses = "0", 0
        while True:
            try:
                for kind, sequence, data in self._events(job["links"]["events"], last):
                    last, losses = sequence, 0
                    if kind == "end":
                        return data
                    told(str(data["text"] if kind == "progress" else data["state"]))
            except httpx.HTTPError as error:
                if losses >= _TRIES:
                    raise self._lost(error) from None
            losses += 1
            if losses > _TRIES:
                raise ServerError(
                    f"{self.url} ends the stream of events again and again; the job goes on: "
                    f"nobubble jobs watch {job['id']} --server {self.url}"
                )
            time.sleep(min(0.5 * losses, 3.0))

    def _events(self, path: str, last: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
        headers = {"Last-Event-ID": last, "Accept": "text/event-stream"}
        with self._client.stream("GET", path, headers=headers) as stream:
            if not stream.is_success:
                stream.read()
                raise error_of(_problem(stream), self._source)
            fields: dict[str, str] = {}
            for line in stream.iter_lines():
                if line:
                    name, _, value = line.partition(": ")
                    fields[name] = f"{fields['data']}\n{value}" if name in fields else value
                elif "event" in fields:
                    yield fields["event"], fields["id"], json.loads(fields["data"])
                    fields = {}
                else:
                    fields = {}

    def _lost(self, error: httpx.HTTPError) -> ServerError:
        reason = "it took too long" if isinstance(error, httpx.TimeoutException) else str(error)
        return ServerError(f"{self.url} cannot be asked: {reason or type(error).__name__}")


def _wait(answer: httpx.Response) -> float:
    text = answer.headers.get("Retry-After", "1")
    return min(float(text), _LONGEST_WAIT) if text.isdecimal() else 1.0


def _parsed(answer: httpx.Response) -> Any:
    from decimal import Decimal

    try:
        return json.loads(answer.content, parse_float=Decimal)
    except ValueError:
        raise ServerError(
            f"{answer.request.url} gave something that is not JSON; is it a nobubble service?"
        ) from None


def _problem(answer: httpx.Response) -> dict[str, Any]:
    try:
        document = json.loads(answer.content)
    except ValueError:
        document = None
    if isinstance(document, dict) and "type" in document:
        return document
    return {"detail": f"status {answer.status_code} from {answer.request.url}"}
