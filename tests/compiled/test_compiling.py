"""How compiled code is kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from nobubble.compiled.compiling import digest_of

ROOT = Path(__file__).parents[2]


def test_kept_code_is_that_of_the_sources(tmp_path: Path) -> None:
    """Tests that the name of kept code changes with any source that goes into it."""
    first, second = tmp_path / "a.py", tmp_path / "b.py"
    first.write_text("one")
    second.write_text("two")
    before = digest_of([second, first])
    assert digest_of([first, second]) == before
    second.write_text("three")
    assert digest_of([first, second]) != before


def test_a_changed_part_is_compiled_anew(tmp_path: Path) -> None:
    """Tests that a kernel does not run with an old part from another file."""
    for source in ("__init__.py", "compiling.py", "kept.py"):
        target = tmp_path / "nobubble" / "compiled" / source
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text((ROOT / "optimizer" / "nobubble" / "compiled" / source).read_text())
    (tmp_path / "nobubble" / "__init__.py").write_text("")
    problem = tmp_path / "nobubble" / "problem.py"
    problem.write_text("")
    folder = tmp_path / "nobubble" / "compiled"
    (folder / "parts.py").write_text(_PART.format(1))
    (folder / "whole.py").write_text(_KERNEL)
    assert _printed(tmp_path) == "1"
    (folder / "parts.py").write_text(_PART.format(2))
    assert _printed(tmp_path) == "2"


def _printed(folder: Path) -> str:
    program = "from nobubble.compiled.whole import whole; print(whole(0))"
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    environment.pop("NUMBA_CACHE_DIR", None)
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()


_PART = """
from nobubble.compiled.compiling import part

@part
def add(number):
    return number + {}
"""

_KERNEL = """
from nobubble.compiled.compiling import kernel
from nobubble.compiled.parts import add

@kernel("int64(int64)")
def whole(number):
    return add(number)
"""
