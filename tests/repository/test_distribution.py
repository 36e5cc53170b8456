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
        "nobubble_api",
        "nobubble_cli",
        f"nobubble-{nobubble.__version__}.dist-info",
    }
    assert "nobubble/py.typed" in files
    assert "nobubble/profiles/measured-p8.json" in files
    assert "nobubble_api/page/index.html" in files


def test_importing_nobubble_is_light() -> None:
    """Tests that `import nobubble` loads none of its heavy dependencies."""
    heavy = {"highspy", "numba", "numpy", "ortools", "pulp", "pydantic", "typer", "yaml"}
    program = f"import sys, nobubble; print(sorted({heavy} & set(sys.modules)))"
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert loaded.stdout == "[]\n"


def test_solving_loads_no_exact_solver_that_it_does_not_use() -> None:
    """Tests that OR-Tools, which brings pandas along, is loaded only for small problems."""
    program = (
        "import sys; from nobubble.profile.reading import read_profile;"
        "from nobubble.solve import solve;"
        "solve(read_profile('profiles/zero-bubble-6.2b-m24-2x.json'), effort='fast');"
        "print({'ortools', 'pulp', 'highspy', 'pandas'} & set(sys.modules))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert printed == "set()\n"
