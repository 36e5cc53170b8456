"""Tests that every kind of bad input is refused, each with a message of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from nobubble.errors import ProfileError
from nobubble.profile.reading import MOST_FAULTS, read_profile
from tests.profile.malformed_files import FOLDER, expected_messages, names

KINDS = ("unreadable", "structure", "relation")
MESSAGES = {name: text for kind in expected_messages().values() for name, text in kind.items()}


@pytest.fixture(autouse=True)
def _in_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)


@pytest.mark.parametrize("name", names(*KINDS))
def test_malformed_file_gets_its_message(name: str) -> None:
    """Tests that a file is refused with exactly the message that stands beside it."""
    with pytest.raises(ProfileError) as caught:
        read_profile(name)
    assert str(caught.value) == MESSAGES[name]
    assert caught.value.exit_code == 2


def test_every_file_has_a_message() -> None:
    """Tests that the folder and the table of messages list the same files."""
    files = {path.name for path in FOLDER.iterdir()} - {"expected.toml"}
    assert files == set(names(*KINDS))


def test_messages_differ() -> None:
    """Tests that no two kinds of bad input are told in the same words."""
    texts = [text.partition(": ")[2] for text in MESSAGES.values()]
    assert len(set(texts)) == len(texts)


def test_missing_file(tmp_path: Path) -> None:
    """Tests that a file that does not exist is named."""
    with pytest.raises(ProfileError, match=r"nowhere\.json: no such file; give the path"):
        read_profile(tmp_path / "nowhere.json")


def test_directory(tmp_path: Path) -> None:
    """Tests that a directory is called one."""
    with pytest.raises(ProfileError, match="is a directory; give the path of a profile file"):
        read_profile(tmp_path)


def test_file_without_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests that the reason of the system is passed on."""

    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(ProfileError) as caught:
        read_profile("time-null.json")
    assert str(caught.value) == "time-null.json: cannot be read: permission denied"


def test_path_that_no_system_has() -> None:
    """Tests that a path with a null byte is refused, not a traceback."""
    with pytest.raises(ProfileError, match="cannot be read: embedded null"):
        read_profile("a\0.json")


@pytest.mark.parametrize("ending", ["json", "yaml"])
def test_deep_nesting(tmp_path: Path, ending: str) -> None:
    """Tests that a file nested without end is refused, not a traceback."""
    path = tmp_path / f"deep.{ending}"
    path.write_text('{"a":' * 200_000 if ending == "json" else "[" * 3_000)
    with pytest.raises(ProfileError, match="is nested too deeply for a profile"):
        read_profile(path)


def test_many_faults_are_cut_short(tmp_path: Path) -> None:
    """Tests that one slip repeated a hundred times does not fill the screen."""
    path = tmp_path / "many.yaml"
    stage = "  - {F: {time: -1}, B: {time: 1}, W: {time: 1}}\n"
    path.write_text(
        "schema: nobubble.profile/1\ntime_unit: ms\nranks: 100\nmicrobatches: 1\nstages:\n"
        + stage * 100
    )
    with pytest.raises(ProfileError) as caught:
        read_profile(path)
    lines = str(caught.value).splitlines()
    assert len(lines) == MOST_FAULTS + 1
    assert lines[-1] == f"{path}: and 80 more faults"
