"""Reading the machine code that was kept beside the sources, where nothing can be written."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Final

from numba import config
from numba.core import caching

_IN_TREE: Any = getattr(caching, "InTreeCacheLocator", None) or caching._InTreeCacheLocator  # type: ignore[attr-defined]


class KeptCode(_IN_TREE):  # type: ignore[misc]
    """Finds code in `__pycache__`, without a look at whether it could be kept there."""

    def ensure_cache_path(self) -> None:
        """Leave the folder as it is: numba would make it, and write into it for a test."""


_NAME: Final = f"{KeptCode.__module__}.{KeptCode.__qualname__}"


@contextlib.contextmanager
def only_reading() -> Iterator[None]:
    """Have numba look for kept code in this way."""
    before = getattr(config, "CACHE_LOCATOR_CLASSES", "")
    config.CACHE_LOCATOR_CLASSES = _NAME  # type: ignore[attr-defined]
    try:
        yield
    finally:
        config.CACHE_LOCATOR_CLASSES = before  # type: ignore[attr-defined]
