"""Tests that kept machine code is read where nothing can be written, as in a container."""

from __future__ import annotations

import subprocess
import sys

from tests.cli.running import environment

PROGRAM = """
import sys
from numba.core import caching

def refuse(self):
    raise OSError("read-only")

in_tree = getattr(caching, "InTreeCacheLocator", None) or caching._InTreeCacheLocator
base = next(cls for cls in in_tree.__mro__ if "ensure_cache_path" in vars(cls))
base.ensure_cache_path = refuse
if sys.argv[1] == "nothing kept":
    in_tree.get_cache_path = lambda self: "/nonexistent"
from nobubble.compiled.timing import time_order
print(sum(time_order.stats.cache_hits.values()), len(time_order.signatures))
"""


def loaded(state: str) -> tuple[int, int]:
    """Load a kernel where no folder can be written; give how often kept code was read."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, state],
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    hits, signatures = map(int, done.stdout.split())
    return hits, signatures


def test_kept_code_is_read_from_a_folder_that_cannot_be_written() -> None:
    """Tests that a container starts as quickly as its image was made."""
    import nobubble.compiled.timing  # noqa: F401  (keeps its code, if that was not done yet)

    hits, signatures = loaded("kept")
    assert hits == signatures > 0


def test_without_kept_code_it_is_compiled_all_the_same() -> None:
    """Tests that a read-only folder costs time, and nothing else."""
    hits, signatures = loaded("nothing kept")
    assert (hits, signatures > 0) == (0, True)
