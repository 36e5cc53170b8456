"""The text of a file or of stdin."""

from __future__ import annotations

import sys
from pathlib import Path

from nobubble.errors import DocumentError, Fault


def name_of(source: str | Path) -> str:
    """Give the name under which messages speak of a source."""
    return "<stdin>" if str(source) == "-" else str(source)


def text_of(source: str | Path, error_type: type[DocumentError]) -> str:
    """Read UTF-8 text.

    Parameters
    ----------
    source : str or Path
        A file; ``-`` is stdin.
    error_type : type
        What is raised when it cannot be read; its ``kind`` says what it should be.
    """
    name, kind = name_of(source), error_type.kind
    try:
        raw = sys.stdin.buffer.read() if name == "<stdin>" else Path(source).read_bytes()
        return raw.decode("utf-8-sig")
    except FileNotFoundError:
        problem = f"no such file; give the path of a {kind}, or - for stdin"
    except IsADirectoryError:
        problem = f"is a directory; give the path of a {kind} file"
    except UnicodeDecodeError as error:
        byte = f"byte 0x{raw[error.start]:02x} at offset {error.start}"
        problem = f"is not UTF-8 text ({byte}); save it as UTF-8"
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        problem = f"cannot be read: {reason.lower()}"
    raise error_type(name, [Fault("", problem)])
