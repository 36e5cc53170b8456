"""Tests of what is built from the repository and of what importing it costs."""

import subprocess
import sys
import zipfile
from pathlib import Path

import nobubble

ROOT = Path(__file__).parents[2]


def test_wheel_claims_only_its_own_names(tmp_path: Path) -> None:
    """Tests that the wheel holds nobubble's packages and nothing else, under nobubble's version."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    subprocess.run([*command, "--directory", str(tmp_path)], cwd=ROOT, check=True)
    (wheel,) = tmp_path.iterdir()
    assert wheel.name.startswith(f"nobubble-{nobubble.__version__}-py3-none-any")
    files = zipfile.ZipFile(wheel).namelist()
    assert {file.split("/")[0] for file in files} == {
        "nobubble",
        "nobubble_cli",
        f"nobubble-{nobubble.__version__}.dist-info",
    }
    assert "nobubble/py.typed" in files


def test_importing_nobubble_is_light() -> None:
    """Tests that `import nobubble` loads none of its heavy dependencies."""
    heavy = {"highspy", "numba", "numpy", "ortools", "pulp", "pydantic", "typer", "yaml"}
    program = f"import sys, nobubble; print(sorted({heavy} & set(sys.modules)))"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert loaded.stdout == "[]\n"
