"""Work that several may ask for at once, and that goes on when they leave."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any, Final, Generic, TypeVar

_MOST: Final = 64
_T = TypeVar("_T")


class Flights(Generic[_T]):
    """Tasks by key: one that runs or has ended well is shared, one that failed begins anew."""

    def __init__(self) -> None:
        self._tasks: OrderedDict[str, asyncio.Task[_T]] = OrderedDict()

    def get(self, key: str, begin: Callable[[], Coroutine[Any, Any, _T]]) -> asyncio.Task[_T]:
        """Give the task of a key, begun here if there is none."""
        task = self._tasks.pop(key, None)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = asyncio.get_running_loop().create_task(begin())
        self._tasks[key] = task
        ended = [other for other, known in self._tasks.items() if known.done() and other != key]
        for other in ended[: max(0, len(self._tasks) - _MOST)]:
            del self._tasks[other]
        return task

    def forget(self, key: str) -> None:
        """Let the next who asks begin anew."""
        self._tasks.pop(key, None)
