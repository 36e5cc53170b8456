"""Reading the machine code that was kept beside the sources, where nothing can be written."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Final

from numba import config
from numba.core import caching

# Its name had an underscore in older releases.
_IN_TREE: Any = vars(caching).get("InTreeCacheLocator") or vars(caching)["_InTreeCacheLocator"]
_SETTINGS: Final = vars(config)  # Numba makes up the names in this module when it is imported.
_SETTING: Final = "CACHE_LOCATOR_CLASSES"


class KeptCode(_IN_TREE):  # type: ignore[misc]  # numba has no type hints
    """Finds code in `__pycache__`, without a look at whether it could be kept there."""

    def ensure_cache_path(self) -> None:
        """Leave the folder as it is: numba would make it, and write into it for a test."""


_NAME: Final = f"{KeptCode.__module__}.{KeptCode.__qualname__}"


@contextlib.contextmanager
def only_reading() -> Iterator[None]:
    """Have numba look for kept code in this way."""
    before = _SETTINGS.get(_SETTING, "")
    _SETTINGS[_SETTING] = _NAME
    try:
        yield
    finally:
        _SETTINGS[_SETTING] = before
