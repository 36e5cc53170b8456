"""Results to stdout or to a file, which is written whole or not at all."""

from __future__ import annotations

import os
import re
import secrets
import stat
import sys
from pathlib import Path

from nobubble.errors import InputError

_OPEN_STREAM = re.compile("/dev/(stdout|stderr|fd/[0-9]+)|/proc/(self|[0-9]+)/fd/[0-9]+")


def write_stdout(text: str, *, encoding: str = "utf-8") -> None:
    """Write to stdout, and see that it arrives.

    Parameters
    ----------
    text : str
    encoding : str
        What it lacks is replaced by question marks.

    Raises
    ------
    InputError
        Stdout is closed or full.
    BrokenPipeError
        Nobody reads it any more.
    """
    if sys.stdout is None:
        raise InputError("cannot write to stdout: it is closed")
    try:
        sys.stdout.buffer.write(text.encode(encoding, "replace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _cannot_write("stdout", error) from None


def check_output(path: str) -> None:
    """See that a file can be written, before work is done for it.

    Parameters
    ----------
    path : str
        ``-`` is stdout.

    Raises
    ------
    InputError
        It is a directory, its folder does not exist, or one of them may not be written.
    """
    if path == "-" or _is_open_stream(path):
        return
    if not path:
        raise InputError("-o: the path is empty; give a file, or - for stdout")
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError(f"cannot write {path}: it is a directory; give the path of a file in it")
    if target.exists():
        if not os.access(target, os.W_OK):
            raise InputError(f"cannot write {path}: no permission to change this file")
        if not target.is_file():
            return
    if not target.parent.is_dir():
        raise InputError(
            f"cannot write {path}: there is no folder {target.parent}; make it, or write elsewhere"
        )
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(f"cannot write {path}: no permission to write in {target.parent}")


def write_output(path: str, text: str) -> None:
    """Write a file whole, or leave what was there; ``-`` is stdout.

    Parameters
    ----------
    path : str
        A symbolic link stays, and what it leads to is written. Pipes and devices are written to
        as they are.
    text : str

    Raises
    ------
    InputError
        It cannot be written.
    BrokenPipeError
        A pipe that nobody reads any more.
    """
    if path == "-":
        write_stdout(text)
        return
    check_output(path)
    target = Path(os.path.realpath(path))
    content = text.encode("utf-8", "replace")
    try:
        if _is_open_stream(path) or (target.exists() and not target.is_file()):
            # Append: after what a shell's >> has kept.
            with Path(path).open("ab", buffering=0) as stream:
                _write_all(stream.fileno(), content)
        else:
            _replace(target, content)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _cannot_write(path, error) from None


def _is_open_stream(path: str) -> bool:
    """Tell /dev/stdout and its kind: replacing the file behind it would not reach its reader."""
    return _OPEN_STREAM.fullmatch(path) is not None


def _replace(target: Path, content: bytes) -> None:
    """Put a file in the place of `target` in one step, with its permissions if it exists."""
    draft = target.with_name(f".nobubble-{secrets.token_hex(8)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(descriptor, "wb", buffering=0) as file:
            if target.exists():
                os.fchmod(descriptor, stat.S_IMODE(target.stat().st_mode))
            _write_all(file.fileno(), content)
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def _write_all(descriptor: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def _cannot_write(where: str, error: OSError) -> InputError:
    return InputError(f"cannot write {where}: {error.strerror or error}")
