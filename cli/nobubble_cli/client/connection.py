"""Requests to a service, repeated where that may help."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final

from nobubble._version import __version__
from nobubble.errors import InputError, NobubbleError
from nobubble_cli.client.address import Address
from nobubble_cli.client.failures import (
    failure_of,
    is_worth_repeating,
    parse_object,
    retry_after,
    unreachable,
)
from nobubble_cli.client.problems import ServiceError

if TYPE_CHECKING:
    import httpx

CONNECTING: Final = 10.0
"""Seconds to wait for a connection."""
ANSWERING: Final = 60.0
"""Seconds to wait for the next byte of an answer; event streams show life every 15 s."""
PATIENCE: Final = 120.0
"""Seconds to go on trying with a service that is too busy, or that has gone after an answer."""
FIRST_PATIENCE: Final = 5.0
"""The same for one that breaks off before it has answered at all: hardly a nobubble."""
LONGEST_PAUSE: Final = 10.0
SHORTEST_PAUSE: Final = 1.0


class Connection:
    """A service that is asked.

    Every request may be sent twice: solves are known by their content, jobs by their key.

    Parameters
    ----------
    address : Address
    tell : callable
        Takes a line about what is being waited for.
    source : str
        What messages call the profile that is sent.
    """

    def __init__(
        self, address: Address, tell: Callable[[str], None], *, source: str = "<profile>"
    ) -> None:
        import httpx

        self.url = address.url
        self.tell = tell
        self.source = source
        self._has_token = address.token is not None
        self._has_answered = False
        headers = {"User-Agent": f"nobubble/{__version__}"}
        if address.token is not None:
            headers["Authorization"] = f"Bearer {address.token}"
        try:
            self._client = httpx.Client(
                base_url=address.url,
                headers=headers,
                timeout=httpx.Timeout(ANSWERING, connect=CONNECTING),
            )
        except (OSError, ValueError, ImportError, httpx.InvalidURL) as error:
            # The environment names proxies, of which some need more packages, and certificates.
            raise InputError(f"cannot set up a connection to {self.url}: {error}") from None

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._client.close()

    def ask(
        self,
        method: str,
        path: str,
        *,
        body: str | None = None,
        headers: Mapping[str, str] | None = None,
        query: Mapping[str, str] | None = None,
    ) -> httpx.Response:
        """Send a request, and wait for its answer.

        Returns
        -------
        httpx.Response
            With a status of success.

        Raises
        ------
        NobubbleError
            There is none. Messages name the service and what to do.
        """
        import httpx

        kind = {} if body is None else {"Content-Type": "application/json"}
        try:
            request = self._client.build_request(
                method,
                path,
                content=None if body is None else body.encode("utf-8", "replace"),
                headers={**kind, **(headers or {})},
                params=query,
            )
        except UnicodeEncodeError as error:
            raise InputError(f"{error.object!r} has a character that cannot be sent") from None
        begin = time.monotonic()
        for attempt in count():
            pause = min(2.0**attempt, LONGEST_PAUSE)
            try:
                response = self._client.send(request)
            except httpx.RequestError as error:
                failure: NobubbleError = self._unreachable(error)
                patience = self._patience(error)
            else:
                self._has_answered = True
                if response.is_success:
                    return response
                failure = self.failure(response)
                if not is_worth_repeating(response):
                    raise failure
                pause = max(retry_after(response) or pause, SHORTEST_PAUSE)
                patience = PATIENCE
            if time.monotonic() - begin + pause > patience:
                raise failure
            self.wait(pause, str(failure))
        raise AssertionError  # count() has no end

    def wait(self, seconds: float, reason: str) -> None:
        """Let some time pass before the next attempt, and say why."""
        self.tell(f"{reason.splitlines()[0]}; trying again in {seconds:.0f} s ...")
        time.sleep(seconds)

    @contextmanager
    def stream(self, path: str, headers: Mapping[str, str]) -> Iterator[httpx.Response]:
        """Open an answer that comes bit by bit, of whatever status.

        Raises
        ------
        ServiceError
            It cannot be had, or breaks off.
        """
        import httpx

        try:
            with self._client.stream("GET", path, headers=dict(headers)) as response:
                if not response.is_success:
                    response.read()
                yield response
        except httpx.RequestError as error:
            raise self._unreachable(error) from None

    def failure(self, response: httpx.Response) -> NobubbleError:
        """Put an answer that is no success into words."""
        return failure_of(response, url=self.url, source=self.source, has_token=self._has_token)

    def no_nobubble(self, what: str) -> InputError:
        """Say that an answer is none of nobubble's."""
        return InputError(f"{self.url} gave {what}; is this the address of nobubble?")

    def _unreachable(self, error: httpx.RequestError) -> ServiceError:
        import httpx

        seconds = CONNECTING if isinstance(error, httpx.ConnectTimeout) else ANSWERING
        return unreachable(error, url=self.url, within=f"{seconds:g} s")

    def _patience(self, error: httpx.RequestError) -> float:
        """Give the seconds for which to go on trying after no answer came."""
        import httpx

        if self._has_answered:
            return PATIENCE
        is_there = not isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
        return FIRST_PATIENCE if is_there else 0.0


def json_object(connection: Connection, response: httpx.Response) -> dict[str, Any]:
    """Give the JSON object of an answer.

    Raises
    ------
    InputError
        There is none.
    """
    data = parse_object(response.content)
    if data is None:
        raise connection.no_nobubble("an answer that is no JSON object")
    return data
