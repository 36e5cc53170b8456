"""The names that `--method` takes."""

from __future__ import annotations

from typing import Final

NAMED_SCHEDULES: Final = ("gpipe", "1f1b", "interleaved-1f1b", "zb-h1", "zb-h2")
"""Schedules with a fixed definition, which run backward in their own way."""

METHODS: Final = ("auto", "greedy", "zb-auto", *NAMED_SCHEDULES)
"""`auto` takes the best of all that follow it."""
