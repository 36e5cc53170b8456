"""Tests of ``nobubble check``."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nobubble.errors import NoScheduleError
from nobubble_cli.checking.choices import Choices
from nobubble_cli.commands import check as command
from nobubble_cli.solve_options import Answer, SolveOptions
from tests.cli.running import Outcome, Run

Fresh = Callable[[Any, SolveOptions], Answer]


@pytest.fixture
def profiles(tmp_path: Path, small: dict[str, Any]) -> Path:
    """Give a folder with two profiles, solved and proven at once, and what is no profile."""
    folder = tmp_path / "profiles"
    folder.mkdir()
    (folder / "small.yaml").write_text(json.dumps(small))
    (folder / "wide.json").write_text(json.dumps({**small, "name": None, "microbatches": 7}))
    (folder / "README.md").write_text("no profile")
    (folder / ".hidden.json").write_text("no profile")
    (folder / "more.json").mkdir()
    return folder


@pytest.fixture
def schedules(profiles: Path, run: Run) -> Path:
    """Give a folder with their schedules."""
    folder = profiles.with_name("schedules")
    outcome = run("check", profiles, folder, "--update")
    assert outcome.code == 0, outcome.err
    return folder


@pytest.fixture
def tight(profiles: Path, schedules: Path, small: dict[str, Any], run: Run) -> Path:
    """Give the schedule of one more profile, which no bound in closed form proves."""
    profile = profiles / "tight.json"
    profile.write_text(json.dumps({**small, "memory_limit": 24, "microbatches": 7}))
    path = schedules / "tight.schedule.json"
    assert run("solve", profile, "-o", path).code == 0
    return path


def found(outcome: Outcome) -> dict[str, str]:
    """Give what was found, by the profile's name."""
    report = json.loads(outcome.out)
    return {Path(entry["profile"]).name: entry["found"] for entry in report["schedules"]}


def change(path: Path, **keys: Any) -> None:
    """Change keys of a JSON file."""
    path.write_text(json.dumps({**json.loads(path.read_text()), **keys}))


def test_update_writes_what_solve_does(profiles: Path, schedules: Path, run: Run) -> None:
    """Tests the names and the bytes of new schedules."""
    assert sorted(path.name for path in schedules.iterdir()) == [
        "small.schedule.json",
        "wide.schedule.json",
    ]
    for name in ("small.yaml", "wide.json"):
        text = (schedules / f"{Path(name).stem}.schedule.json").read_text()
        assert text == run("solve", profiles / name).out


def test_nothing_is_wrong(profiles: Path, schedules: Path, run: Run) -> None:
    """Tests that it is quiet, and that figures are there for programs."""
    outcome = run("check", profiles, schedules)
    assert (outcome.code, outcome.err) == (0, "")
    report = json.loads(outcome.out)
    assert report["orphans"] == []
    document = json.loads((schedules / "small.schedule.json").read_text())
    assert report["schedules"][0] == {
        "profile": str(profiles / "small.yaml"),
        "schedule": str(schedules / "small.schedule.json"),
        "found": "ok",
        "written": False,
        "cost": document["cost"],
        "time_unit": "ms",
        "gap": document["gap"],
    }


def test_update_leaves_what_is_right_as_it_is(profiles: Path, schedules: Path, run: Run) -> None:
    """Tests that files are not touched, not even by other bytes of the same cost."""
    path = schedules / "small.schedule.json"
    path.write_text(json.dumps(json.loads(path.read_text())))
    before = {path: path.read_bytes() for path in schedules.iterdir()}
    outcome = run("check", profiles, schedules, "--update")
    assert (outcome.code, outcome.err) == (0, "")
    assert {path: path.read_bytes() for path in schedules.iterdir()} == before


def test_a_missing_schedule(profiles: Path, schedules: Path, run: Run) -> None:
    """Tests that a new profile cannot be forgotten, also before there is any schedule."""
    path = schedules / "small.schedule.json"
    path.unlink()
    outcome = run("check", profiles, schedules)
    assert outcome.code == 5
    assert outcome.err == f"error: {path}: is missing; --update writes it\n"
    assert found(outcome) == {"small.yaml": "missing", "wide.json": "ok"}
    assert run("check", profiles, profiles.with_name("nowhere")).err.count("is missing") == 2


def test_a_stale_schedule(profiles: Path, schedules: Path, run: Run) -> None:
    """Tests that a change of the profile is told by what has changed, and put right."""
    change(profiles / "wide.json", microbatches=6, communication=0.5)
    outcome = run("check", profiles, schedules)
    assert outcome.code == 5
    assert outcome.err == (
        f"error: {schedules / 'wide.schedule.json'}: is of another profile than is there now "
        "(microbatches, communication differ); --update solves it anew\n"
    )
    updated = run("check", profiles, schedules, "--update")
    assert updated.code == 0
    assert updated.err == f"written to {schedules / 'wide.schedule.json'}\n"
    assert found(updated) == {"small.yaml": "ok", "wide.json": "stale"}
    assert [entry["written"] for entry in json.loads(updated.out)["schedules"]] == [False, True]
    assert run("check", profiles, schedules).code == 0


def test_a_name_or_a_unit_makes_no_schedule_stale(
    profiles: Path, schedules: Path, run: Run
) -> None:
    """Tests that the canonical form counts, and that costs in two units can be compared."""
    profile = json.loads((profiles / "small.yaml").read_text())
    for stage in profile["stages"]:
        for op in stage.values():
            op["time"] *= 1000
    profile.update(name="renamed", time_unit="us", communication=250)
    (profiles / "small.yaml").write_text(json.dumps(profile))
    outcome = run("check", profiles, schedules)
    assert (outcome.code, outcome.err) == (0, "")


def test_an_invalid_schedule(profiles: Path, schedules: Path, run: Run) -> None:
    """Tests that the first finding is told, and how many more there are."""
    path = schedules / "small.schedule.json"
    document = json.loads(path.read_text())
    actions = document["ranks"][0]["actions"]
    actions[0]["end"] += 1
    actions[-1]["start"] -= 1
    change(path, ranks=document["ranks"])
    outcome = run("check", profiles, schedules)
    assert outcome.code == 5
    (line,) = outcome.err.splitlines()
    assert line.startswith(f"error: {path}: ")
    assert line.endswith(" more); --update solves it anew")
    assert found(outcome)["small.yaml"] == "invalid"
    assert run("check", profiles, schedules, "--update").code == 0
    assert run("check", profiles, schedules).code == 0


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": "nobubble.schedule/2"}'])
def test_what_is_no_schedule(text: str, profiles: Path, schedules: Path, run: Run) -> None:
    """Tests that a file that was cut or merged badly is a fault, not an abort."""
    path = schedules / "small.schedule.json"
    path.write_text(text)
    outcome = run("check", profiles, schedules)
    assert outcome.code == 5
    assert outcome.err.startswith(f"error: {path}: ")
    assert found(outcome) == {"small.yaml": "unreadable", "wide.json": "ok"}


def test_a_worse_schedule(profiles: Path, schedules: Path, tight: Path, run: Run) -> None:
    """Tests that a better nobubble asks for better schedules, and says by how much."""
    better = json.loads(tight.read_text())
    worse = json.loads(run("solve", profiles / "tight.json", "--method", "greedy").out)
    cost = worse["cost"]
    assert cost > better["cost"]
    change(tight, **{**worse, "generator": better["generator"]})
    outcome = run("check", profiles, schedules)
    assert outcome.code == 5
    share = f"{100 * (cost - better['cost']) / cost:.2f}"
    assert outcome.err == (
        f"error: {tight}: costs {cost} ms, but method auto, effort normal, seed 0 now gives "
        f"{better['cost']} ms, {share} % less; --update writes that\n"
    )
    assert found(outcome)["tight.json"] == "worse"
    assert run("check", profiles, schedules, "--update").code == 0
    assert json.loads(tight.read_text()) == better


def test_a_schedule_is_held_against_its_own_options(
    profiles: Path, schedules: Path, tight: Path, run: Run
) -> None:
    """Tests that a deliberate choice stands, until the command line says otherwise."""
    run("solve", profiles / "tight.json", "--method", "greedy", "-o", tight)
    assert run("check", profiles, schedules).code == 0
    asked = run("check", profiles, schedules, "--method", "auto")
    assert asked.code == 5
    assert "but method auto, effort normal" in asked.err
    change(profiles / "tight.json", microbatches=6)
    assert run("check", profiles, schedules, "--update").code == 0
    assert json.loads(tight.read_text())["generator"]["options"]["method"] == "greedy"


def test_a_schedule_without_the_memory_limit(profiles: Path, schedules: Path, run: Run) -> None:
    """Tests that one made with --ignore-memory-limit is not stale."""
    path = schedules / "wide.schedule.json"
    run("solve", profiles / "wide.json", "--ignore-memory-limit", "-o", path)
    outcome = run("check", profiles, schedules)
    assert (outcome.code, outcome.err) == (0, "")


def test_options_that_this_version_does_not_know_count_as_not_recorded() -> None:
    """Tests that a schedule cannot bring in options that do not exist."""
    recorded: dict[str, Any] = {"method": "magic", "effort": ["max"], "seed": -1, "more": 1}
    document: Any = {"generator": {"options": recorded}}
    assert Choices(time_limit=2).options(document) == SolveOptions(time_limit=2)
    recorded.update(method="zb-h1", effort="fast", seed=7, ignore_memory_limit=True)
    assert Choices(seed=8).options(document) == SolveOptions("zb-h1", "fast", 8, None, True)
    assert Choices("milp", "max").options(None) == SolveOptions("milp", "max")


@pytest.fixture
def solves(monkeypatch: pytest.MonkeyPatch) -> list[SolveOptions]:
    """Note every solve, of which none finds anything."""
    noted: list[SolveOptions] = []

    def fail(profile: object, options: SolveOptions, progress: object) -> Answer:
        noted.append(options)
        raise NoScheduleError("nothing was\nfound in time")

    monkeypatch.setattr(command, "solve_here", fail)
    return noted


def test_a_proven_optimum_is_not_solved_again(
    profiles: Path, schedules: Path, tight: Path, solves: list[SolveOptions], run: Run
) -> None:
    """Tests that only where the bounds leave room there is a solve; one in vain is no fault."""
    outcome = run("check", profiles, schedules)
    assert (outcome.code, len(found(outcome))) == (0, 3)
    assert solves == [SolveOptions()]


def test_a_profile_for_which_nothing_is_found(
    profiles: Path, schedules: Path, solves: list[SolveOptions], run: Run
) -> None:
    """Tests that the others are looked at all the same, and that what was there stays."""
    change(profiles / "small.yaml", microbatches=5)
    before = (schedules / "small.schedule.json").read_bytes()
    outcome = run("check", profiles, schedules, "--update", "--time-limit", "3", "--effort", "max")
    assert outcome.code == 5
    assert outcome.err == f"error: {profiles / 'small.yaml'}: nothing was found in time\n"
    assert found(outcome) == {"small.yaml": "unsolved", "wide.json": "ok"}
    assert (schedules / "small.schedule.json").read_bytes() == before
    assert solves[0] == SolveOptions(effort="max", time_limit=3)


def test_an_infeasible_profile(profiles: Path, schedules: Path, run: Run) -> None:
    """Tests that the rank that binds is told."""
    change(profiles / "small.yaml", memory_limit=9)
    outcome = run("check", profiles, schedules, "--update")
    assert outcome.code == 5
    assert outcome.err.startswith(f"error: {profiles / 'small.yaml'}: rank 2 binds: ")


def test_a_bad_profile(profiles: Path, schedules: Path, run: Run) -> None:
    """Tests that it is a fault like others, by its first place."""
    change(profiles / "small.yaml", ranks=0, microbatches=0)
    outcome = run("check", profiles, schedules, "--update")
    assert outcome.code == 5
    (line,) = outcome.err.splitlines()
    assert line.startswith(f"error: {profiles / 'small.yaml'}: /ranks: ")
    assert line.endswith(" (and 1 more); put the profile right")


def test_what_is_no_file(profiles: Path, schedules: Path, run: Run) -> None:
    """Tests that a pipe is not waited for, and that a folder in a place ends nothing else."""
    os.mkfifo(profiles / "pipe.json")
    taken = schedules / "small.schedule.json"
    taken.unlink()
    taken.mkdir()
    (schedules / "wide.schedule.json").unlink()
    outcome = run("check", profiles, schedules, "--update")
    assert outcome.code == 5
    assert found(outcome) == {
        "pipe.json": "bad-profile",
        "small.yaml": "unreadable",
        "wide.json": "missing",
    }
    assert (schedules / "wide.schedule.json").is_file()
    assert outcome.err.splitlines()[-2:] == [
        f"error: {profiles / 'pipe.json'} is no regular file; move it away",
        f"error: {taken} is a folder; move it away",
    ]


def test_an_orphan(profiles: Path, schedules: Path, run: Run) -> None:
    """Tests that a schedule that nothing stands for is told, and never deleted."""
    orphan = schedules / "old.schedule.json"
    orphan.write_text("{}")
    (schedules / "notes.json").write_text("{}")
    for extra in ([], ["--update"]):
        outcome = run("check", profiles, schedules, *extra)
        assert outcome.code == 5
        assert outcome.err == (
            f"error: {orphan}: there is no profile old in {profiles}; delete the schedule, or "
            "bring the profile back\n"
        )
        assert json.loads(outcome.out)["orphans"] == [str(orphan)]
    assert orphan.exists()


def test_profiles_and_schedules_in_one_folder(profiles: Path, run: Run) -> None:
    """Tests that a schedule is not taken for a profile."""
    assert run("check", profiles, profiles, "--update").code == 0
    outcome = run("check", profiles, profiles)
    assert (outcome.code, set(found(outcome))) == (0, {"small.yaml", "wide.json"})


def test_what_cannot_be_checked(profiles: Path, tmp_path: Path, run: Run) -> None:
    """Tests that a mistake in the call is no success, and no fault of a schedule."""
    empty = tmp_path / "empty"
    empty.mkdir()
    file = profiles / "README.md"
    (tmp_path / "file").write_text("")
    for first, second, message in (
        (empty, empty, f"PROFILES: there is no profile in {empty}"),
        (tmp_path / "none", empty, "none is not a folder"),
        (file, empty, "README.md is not a folder"),
        (profiles, file, "README.md is not a folder"),
    ):
        outcome = run("check", first, second)
        assert (outcome.code, outcome.out) == (2, "")
        assert message in outcome.err
    inside = run("check", profiles, tmp_path / "file" / "schedules", "--update")
    assert inside.code == 2
    assert inside.err.startswith(f"error: cannot make the folder {tmp_path / 'file'}")


def test_two_profiles_of_one_name(profiles: Path, run: Run) -> None:
    """Tests that no schedule can stand for two profiles."""
    (profiles / "small.json").write_text("{}")
    outcome = run("check", profiles, profiles)
    assert outcome.code == 2
    assert "would both have the schedule small.schedule.json; rename one" in outcome.err
