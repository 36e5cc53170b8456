"""Loading the compiled kernels."""

from __future__ import annotations

import importlib
import pkgutil


def load_kernels() -> None:
    """Import every compiled kernel: seconds the first time on a machine, then a few tenths."""
    compiled = importlib.import_module("nobubble.compiled")
    for module in pkgutil.iter_modules(compiled.__path__, "nobubble.compiled."):
        importlib.import_module(module.name)
