"""How the hot loops are compiled."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import numba

from nobubble.compiled.kept import only_reading

Kernel = TypeVar("Kernel", bound=Callable[..., Any])


def digest_of(sources: Iterable[Path]) -> str:
    """Give a short name of the contents of some files."""
    digest = hashlib.sha256()
    for source in sorted(sources):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


_HERE: Final = Path(__file__).parent
_SOURCES: Final = digest_of([*_HERE.glob("*.py"), _HERE.parent / "problem.py"])


def kernel(*signatures: str) -> Callable[[Kernel], Kernel]:
    """Compile a function at import for these signatures, and keep the machine code on disk.

    Numba looks only at the file of a function to see whether the code that it kept is still right,
    and not at the files of the parts and constants that went into it. So the name under which it
    is kept says which sources it was made from.

    Where no folder for it can be written (a read-only container) the code that was kept before is
    read; when there is none, the function is compiled anew in every process, rather than not at
    all.
    """

    def compile_it(function: Kernel) -> Kernel:
        function.__qualname__ += f"_{_SOURCES}"
        try:
            return cast(Kernel, numba.njit(list(signatures), cache=True)(function))
        except RuntimeError as error:
            if "cannot cache function" not in str(error):
                raise
        try:
            with only_reading():
                return cast(Kernel, numba.njit(list(signatures), cache=True)(function))
        except (RuntimeError, OSError):  # There is none, and it could not be kept.
            return cast(Kernel, numba.njit(list(signatures))(function))

    return compile_it


def part(function: Kernel) -> Kernel:
    """Compile a function as a part of the kernels that call it, together with them."""
    return cast(Kernel, numba.njit(function))
