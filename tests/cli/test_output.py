"""Tests that results reach stdout or a file whole, or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from nobubble.errors import InputError
from nobubble_cli.output import check_output, write_output
from tests.cli.running import environment


def test_a_new_file_holds_the_text(tmp_path: Path) -> None:
    """Tests that text is written as UTF-8 and nothing else is left in the folder."""
    write_output(str(tmp_path / "x.json"), "é\n")
    assert (tmp_path / "x.json").read_bytes() == "é\n".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


def test_a_new_file_has_the_permissions_of_the_umask(tmp_path: Path) -> None:
    """Tests that a temporary file's private permissions do not remain."""
    before = os.umask(0o027)
    try:
        write_output(str(tmp_path / "x.json"), "x")
    finally:
        os.umask(before)
    assert (tmp_path / "x.json").stat().st_mode & 0o777 == 0o640


def test_a_file_that_exists_keeps_its_permissions(tmp_path: Path) -> None:
    """Tests that replacing a file leaves its mode."""
    path = tmp_path / "x.json"
    path.write_text("old")
    path.chmod(0o604)
    write_output(str(path), "new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o604


def test_a_symbolic_link_stays(tmp_path: Path) -> None:
    """Tests that what a link leads to is written, through a link in another folder."""
    (tmp_path / "data").mkdir()
    link, target = tmp_path / "link.json", tmp_path / "data" / "x.json"
    target.write_text("old")
    link.symlink_to(target)
    write_output(str(link), "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_a_failed_write_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tests that a full disk costs neither the old file nor a stray one."""
    path = tmp_path / "x.json"
    path.write_text("old")

    def full(descriptor: int, content: bytes) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(InputError, match=r"^cannot write .*x\.json: No space left on device$"):
        write_output(str(path), "new")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    """Tests that the message names the missing folder."""
    with pytest.raises(InputError, match=f"there is no folder {tmp_path}/no; make it"):
        check_output(str(tmp_path / "no" / "x.json"))


def test_a_directory_is_refused(tmp_path: Path) -> None:
    """Tests that a directory is not written to."""
    with pytest.raises(InputError, match="it is a directory"):
        check_output(str(tmp_path))


def test_an_empty_path_is_refused() -> None:
    """Tests that -o with an unset shell variable says so."""
    with pytest.raises(InputError, match="the path is empty"):
        check_output("")


@pytest.mark.parametrize("exists", [False, True])
def test_missing_permission_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exists: bool
) -> None:
    """Tests that a file or a folder that may not be written is refused before any work."""
    path = tmp_path / "x.json"
    if exists:
        path.touch()
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write everywhere
    with pytest.raises(InputError, match=r"no permission to (change this file|write in)"):
        check_output(str(path))


def test_a_fifo_is_written_to_and_stays(tmp_path: Path) -> None:
    """Tests that a named pipe gets the text and is not replaced by a file."""
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    received: list[str] = []
    reader = threading.Thread(target=lambda: received.append(fifo.read_text()))
    reader.start()
    write_output(str(fifo), "text" * 50_000)
    reader.join()
    assert received == ["text" * 50_000]
    assert fifo.is_fifo()


@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "-"])
@pytest.mark.parametrize("to_file", [False, True])
def test_the_names_of_stdout_reach_stdout(tmp_path: Path, path: str, to_file: bool) -> None:
    """Tests that /dev/stdout is no file to replace, and that a shell's >> keeps what was there."""
    program = f"from nobubble_cli.output import write_output; write_output({path!r}, 'text')"
    if to_file:
        log = tmp_path / "log"
        log.write_text("before ")
        with log.open("a") as stream:
            subprocess.run(
                [sys.executable, "-c", program], stdout=stream, env=environment(), check=True
            )
        assert log.read_text() == "before text"
    else:
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, env=environment(), check=True
        )
        assert done.stdout == b"text"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_device_is_told() -> None:
    """Tests that a device's own error is passed on."""
    with pytest.raises(InputError, match="cannot write /dev/full: No space left on device"):
        write_output("/dev/full", "text")


def test_a_file_in_memory_is_a_file() -> None:
    """Tests that only the streams under /dev are streams."""
    folder = Path("/dev/shm")
    if not folder.is_dir():
        pytest.skip("this system has no /dev/shm")
    path = folder / f"nobubble-test-{os.getpid()}"
    try:
        write_output(str(path), "old")
        write_output(str(path), "new")
        assert path.read_text() == "new"
    finally:
        path.unlink(missing_ok=True)
