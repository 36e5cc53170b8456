"""Tests that the ready profiles are read, and are what the tables say."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from nobubble.profile.reading import parse_profile, read_profile

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "profiles"
FILES = sorted(path for path in FOLDER.iterdir() if path.suffix in (".json", ".yaml"))
BY_HAND = {"minimal.json", "every-field.yaml", "layers-32.yaml"}


def _script() -> ModuleType:
    path = ROOT / "benchmarks" / "make_profiles.py"
    specification = importlib.util.spec_from_file_location("make_profiles", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_is_read_without_rounding(path: Path) -> None:
    """Tests that every ready profile is valid, exact, and named like its file."""
    notes: list[str] = []
    assert read_profile(path, notes=notes).name == path.stem
    assert not [note for note in notes if "rounded" in note]


def test_generated_files_are_current(tmp_path: Path) -> None:
    """Tests that making the profiles again from the tables would change nothing."""
    _script().main([str(tmp_path)])
    made = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    there = {path.name: path.read_text(encoding="utf-8") for path in FILES}
    assert made == {name: text for name, text in there.items() if name not in BY_HAND}
    assert len(made) == 24 + 9 + 1


def test_readme_speaks_of_every_family() -> None:
    """Tests that profiles/README.md says where each profile comes from."""
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name in ("zero-bubble-", "zb-v-", "measured-p8", "minimal", "every-field", "layers-32"):
        assert f"`{name}" in readme


def test_every_field_shows_every_field() -> None:
    """Tests that the commented profile leaves out no key of the format."""
    from nobubble.profile import yaml_exact
    from nobubble.profile.written import WrittenProfile
    from nobubble.profile.written_stages import (
        WrittenFusedOp,
        WrittenLayer,
        WrittenOp,
        WrittenStage,
    )

    data = yaml_exact.load((FOLDER / "every-field.yaml").read_text(encoding="utf-8"))
    assert isinstance(data, dict)
    layered = yaml_exact.load((FOLDER / "layers-32.yaml").read_text(encoding="utf-8"))
    assert isinstance(layered, dict)
    keys = {field.alias or key for key, field in WrittenProfile.model_fields.items()}
    assert set(data) == keys - {"layers", "partition"}
    assert set(layered) >= {"layers", "partition"}
    assert {key for layer in layered["layers"] for key in layer} == set(WrittenLayer.model_fields)
    stages = data["stages"]
    assert {key for stage in stages for key in stage} == set(WrittenStage.model_fields)
    ops = {key for stage in stages for op in ("F", "B", "W") for key in stage[op]}
    assert ops == set(WrittenOp.model_fields)
    fused = {key for stage in stages for key in stage.get("BW", ())}
    assert fused == set(WrittenFusedOp.model_fields)
    assert {stage.get("backward") for stage in stages} == {None, "split", "fused", "auto"}


def test_every_field_is_placed_as_its_comment_says() -> None:
    """Tests that the list of the commented profile is what v gives."""
    path = FOLDER / "every-field.yaml"
    assert read_profile(path) == read_profile(path, {"placement": "v"})


@pytest.mark.parametrize("times", [1, 2])
def test_paper_limit_is_that_of_1f1b(times: int) -> None:
    """Tests that a limit holds p microbatches of a whole stage, or twice that many."""
    profile = read_profile(FOLDER / f"zero-bubble-28.3b-m96-{times}x.json")
    assert profile.memory_limit == (times * 32 * profile.stages[0].F.memory,) * 32
    assert profile.stages[0].B.memory == profile.stages[0].W.memory


def test_v_limit_is_that_of_1f1b() -> None:
    """Tests that a limit of the V rows holds two chunks of p microbatches."""
    profile = read_profile(FOLDER / "zb-v-p24-m72.json")
    assert profile.memory_limit == (2 * 24 * profile.stages[0].F.memory,) * 24
    assert len(profile.stages) == 48


def test_measured_profile_is_the_measured_one() -> None:
    """Tests the figures that the README's first command rests on."""
    profile = read_profile(FOLDER / "measured-p8.json")
    work = [stage.F.time + stage.B.time + stage.W.time for stage in profile.stages]
    assert max(work) * profile.microbatches == 3_623_744_000
    assert profile.memory_limit == (8 * 1240 * 10**6,) * 8


def test_minimal_profile_has_only_what_is_required() -> None:
    """Tests that nothing but the name can be left out of the minimal profile."""
    from nobubble.errors import ProfileError
    from nobubble.profile import yaml_exact

    data = yaml_exact.load((FOLDER / "minimal.json").read_text(encoding="utf-8"))
    assert isinstance(data, dict)
    for key in data.keys() - {"name"}:
        with pytest.raises(ProfileError, match=f"/{key}: is missing"):
            parse_profile({other: value for other, value in data.items() if other != key})
