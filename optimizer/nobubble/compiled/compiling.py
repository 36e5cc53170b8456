"""How the hot loops are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def kernel(*signatures: str) -> Callable[[Kernel], Kernel]:
    """Compile a function at import for these signatures, and keep the machine code on disk.

    Where no folder for it can be written (a read-only container) numba refuses to keep it; then
    the function is compiled anew in every process, rather than not at all.
    """

    def compile_it(function: Kernel) -> Kernel:
        try:
            compiled: Kernel = numba.njit(list(signatures), cache=True)(function)
        except RuntimeError as error:
            if "cannot cache function" not in str(error):
                raise
            compiled = numba.njit(list(signatures))(function)
        return compiled

    return compile_it


part = numba.njit
"""Compile a function as a part of the kernels in its own module that call it."""
