"""The malformed profiles, and what nobubble says about each."""

from __future__ import annotations

import tomllib
from pathlib import Path

FOLDER = Path(__file__).parent / "malformed"


def expected_messages() -> dict[str, dict[str, str]]:
    """Give the message for every file, by the kind of fault and the file's name."""
    return tomllib.loads((FOLDER / "expected.toml").read_text(encoding="utf-8"))


def names(*kinds: str) -> list[str]:
    """Give the files with these kinds of fault: unreadable, structure, relation."""
    messages = expected_messages()
    return [name for kind in kinds for name in messages[kind]]
