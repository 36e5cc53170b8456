"""How the hot loops are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def kernel(*signatures: str) -> Callable[[Kernel], Kernel]:
    """Compile a function at import for these signatures, and keep the machine code on disk.

    Where no folder for it can be written (a read-only container) numba refuses to keep it; then
    the function is compiled anew in every process, rather than not at all.
    """

    def compile_it(function: Kernel) -> Kernel:
        try:
            return cast(Kernel, numba.njit(list(signatures), cache=True)(function))
        except RuntimeError as error:
            if "cannot cache function" not in str(error):
                raise
            return cast(Kernel, numba.njit(list(signatures))(function))

    return compile_it


def part(function: Kernel) -> Kernel:
    """Compile a function as a part of the kernels that call it, together with them."""
    return cast(Kernel, numba.njit(function))
