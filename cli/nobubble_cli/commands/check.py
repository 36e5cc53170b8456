"""``nobubble check``: that committed schedules are still right, and as good as can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from nobubble.errors import InputError, NobubbleError, VerificationError
from nobubble.methods import EFFORTS, METHODS, Effort
from nobubble_cli.choices import one_of
from nobubble_cli.messages import say
from nobubble_cli.output import write_output, write_stdout
from nobubble_cli.progress import Progress
from nobubble_cli.remote.options import CheckServerOption, CheckTokenOption

if TYPE_CHECKING:
    from nobubble.profile.model import Profile
    from nobubble.schedule.document import ScheduleDocument

SUFFIXES = (".json", ".yaml", ".yml", ".toml")
SCHEDULE = ".schedule.json"

Solve = Callable[["Profile", dict[str, Any]], str]


def check(
    profiles: Annotated[Path, typer.Argument(metavar="PROFILES", help="Folder of profiles.")],
    schedules: Annotated[
        Path, typer.Argument(metavar="SCHEDULES", help="Folder of their schedules.")
    ],
    update: Annotated[
        bool, typer.Option("--update", help="Write what is missing, stale, wrong or worse.")
    ] = False,
    method: Annotated[
        str,
        typer.Option(
            "--method", metavar="|".join(METHODS), help="Of schedules that --update adds."
        ),
    ] = "auto",
    effort: Annotated[
        str,
        typer.Option(
            "--effort", metavar="|".join(EFFORTS), help="Of schedules that --update adds."
        ),
    ] = "normal",
    seed: Annotated[
        int,
        typer.Option(
            "--seed", metavar="N", min=0, max=2**32 - 1, help="Of schedules that --update adds."
        ),
    ] = 0,
    server: CheckServerOption = None,
    token: CheckTokenOption = None,
) -> None:
    """Check that every profile has its schedule: valid, of this profile, and not worse than solve.

    The schedule of profiles/x.json is schedules/x.schedule.json. Each is solved again with the
    options that it was made with. Exits 5 when something is not so.

    \b
    Example:
      nobubble check profiles schedules
    """  # noqa: D301
    one_of(method, METHODS, "--method")
    one_of(effort, EFFORTS, "--effort")
    wanted = {"method": method, "effort": effort, "seed": seed}
    pairs = _pairs(profiles, schedules, may_make=update)
    faults: list[str] = []
    with Progress() as progress:
        solve = _solver(server, token, progress)
        for number, (profile, schedule) in enumerate(pairs, 1):
            progress(f"{number} of {len(pairs)}: {profile}")
            try:
                fault, text = _look(profile, schedule, wanted, solve, update)
            except NobubbleError as error:
                fault, text = f"{profile}: {error}", None
            if fault is not None and text is not None:
                write_output(str(schedule), text)
                progress("")
                say(f"{fault}; written anew")
            elif fault is not None:
                faults.append(fault)
    known = {schedule for _, schedule in pairs}
    for orphan in sorted(set(schedules.glob(f"*{SCHEDULE}")) - known):
        faults.append(f"{orphan}: there is no profile for it in {profiles}; delete it")
    if faults:
        if not update:
            faults.append(f"nobubble check --update {profiles} {schedules} writes them anew")
        raise VerificationError(faults)
    write_stdout(f"{len(pairs)} schedules are valid, of their profiles, and as good as solve's\n")


def _pairs(profiles: Path, schedules: Path, *, may_make: bool) -> list[tuple[Path, Path]]:
    """Give every profile and where its schedule is."""
    if not profiles.is_dir():
        raise InputError(f"PROFILES: {profiles} is no folder; give the folder of the profiles")
    if may_make:
        try:
            schedules.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"SCHEDULES: {schedules} cannot be made: {error.strerror}") from None
    elif not schedules.is_dir():
        raise InputError(f"SCHEDULES: {schedules} is no folder; --update makes it")
    found: dict[str, Path] = {}
    for path in sorted(profiles.iterdir()):
        if path.suffix.lower() not in SUFFIXES or path.name.endswith(SCHEDULE):
            continue
        if path.stem in found:
            raise InputError(f"{found[path.stem]} and {path} have the same name; rename one")
        found[path.stem] = path
    if not found:
        raise InputError(f"PROFILES: {profiles} has no profile (.json, .yaml or .toml)")
    return [(path, schedules / f"{stem}{SCHEDULE}") for stem, path in found.items()]


def _look(
    path: Path, committed: Path, wanted: dict[str, Any], solve: Solve, update: bool
) -> tuple[str | None, str | None]:
    """Give what is wrong with a schedule, and with `update` what should stand there."""
    import json
    from decimal import Decimal

    from nobubble.profile.reading import read_profile
    from nobubble.schedule.reading import read_schedule

    profile = read_profile(path)
    options = dict(wanted)
    document: ScheduleDocument | None = None
    fault: str | None = "is missing"
    if committed.exists():
        try:
            document = read_schedule(committed)
            options = _options(document)
            fault = next(_faults(document, profile, options), None)
        except NobubbleError as error:
            fault = f"is no schedule: {str(error).splitlines()[0]}"
    if fault is not None or document is None:
        return f"{committed}: {fault}", solve(profile, options) if update else None
    text = solve(profile, options)
    best = json.loads(text, parse_float=Decimal)
    if Decimal(best["cost"]) < Decimal(document["cost"]):
        unit = document["profile"]["time_unit"]
        fault = f"costs {document['cost']} {unit}, but solve gives {best['cost']} {unit}"
        return f"{committed}: {fault}", text if update else None
    return None, None


def _options(document: ScheduleDocument) -> dict[str, Any]:
    """Give the options that a schedule was made with, as far as solve takes them."""
    given = document["generator"]["options"]
    return {
        "method": given["method"] if given.get("method") in METHODS else "auto",
        "effort": given["effort"] if given.get("effort") in EFFORTS else "normal",
        "seed": given.get("seed", 0),
        **({"ignore_memory_limit": True} if given.get("ignore_memory_limit") else {}),
    }


def _faults(document: ScheduleDocument, profile: Profile, options: dict[str, Any]) -> Iterator[str]:
    """Find out whether a schedule is stale or wrong."""
    from dataclasses import replace

    from nobubble.profile.canonical import profile_sha256
    from nobubble.verifier.verify import verify

    if options.get("ignore_memory_limit"):
        profile = replace(profile, memory_limit=(None,) * profile.ranks)
    if document["profile_sha256"] != profile_sha256(profile):
        yield "is stale: the profile has changed since"
    findings = verify(document, profile)
    if findings:
        yield f"is not valid: {findings[0]}"


def _solver(server: str | None, token: str | None, progress: Progress) -> Solve:
    """Give what solves: a service, or this process."""
    if server is not None:
        from nobubble_cli.remote.service import Service
        from nobubble_cli.remote.solving import solve_remotely

        service = Service(server, token)
        return lambda profile, options: solve_remotely(service, profile, options, progress)

    def solve(profile: Profile, options: dict[str, Any]) -> str:
        from nobubble.schedule.writing import json_text
        from nobubble.solve import solve as find_schedule

        return json_text(
            find_schedule(
                profile,
                method=options["method"],
                effort=cast(Effort, options["effort"]),
                seed=options["seed"],
                ignore_memory_limit=options.get("ignore_memory_limit", False),
                progress=progress,
            )
        )

    return solve
