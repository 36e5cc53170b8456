"""Loading the compiled kernels."""

from __future__ import annotations

import importlib
import pkgutil

_OF_REPLAY = "nobubble.compiled.replaying"


def load_kernels() -> None:
    """Import every kernel that solving needs: seconds the first time on a machine, then tenths."""
    compiled = importlib.import_module("nobubble.compiled")
    for module in pkgutil.iter_modules(compiled.__path__, "nobubble.compiled."):
        if module.name != _OF_REPLAY:
            importlib.import_module(module.name)
