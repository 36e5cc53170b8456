"""From the bodies that clients send to work: what is wrong with them is told with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from nobubble.comparison.candidates import Candidate
from nobubble.comparison.families import families
from nobubble.errors import Fault, NobubbleError, ProfileError
from nobubble.profile.document import profile_document
from nobubble.profile.layered import LayeredModel
from nobubble.profile.loading import read_json
from nobubble.profile.model import Profile
from nobubble.profile.reading import parse_model, parse_profile
from nobubble.profile.wording import nearest, pointer_to, shown
from nobubble.schedule.document import ScheduleDocument
from nobubble.schedule.reading import parse_schedule
from nobubble.schedule.writing import json_text
from nobubble_api.bodies import (
    CompareBody,
    CompareOptions,
    JobBody,
    Options,
    ProfileBody,
    SolveBody,
    VerifyBody,
)
from nobubble_api.problems import ProblemError, problem_of
from nobubble_api.work import Work

MOST_FAULTS = 20


@dataclass(frozen=True, slots=True)
class Asked:
    """What a client asks to be solved."""

    profile: Profile
    work: Work
    notes: tuple[str, ...]
    name: str | None
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AskedComparison:
    """What a client asks to be compared."""

    model: LayeredModel
    options: CompareOptions
    notes: tuple[str, ...]

    def work_of(self, candidate: Candidate) -> Work:
        """Give the work of one candidate."""
        options = self.options
        return Work(
            profile=json_text(profile_document(candidate.profile)),
            method=candidate.method,
            effort=options.effort,
            seed=options.seed,
            time_limit=options.time_limit,
            ignore_memory_limit=options.ignore_memory_limit,
        )


def read_compare(raw: bytes, *, max_ops: int, max_time_limit: float) -> AskedComparison:
    """Read the body of a comparison.

    Raises
    ------
    ProblemError
    """
    body = _read(raw, CompareBody)
    options = body.options
    _check_time_limit(options, max_time_limit)
    overrides = {} if options.objective is None else {"objective": options.objective}
    notes: list[str] = []
    try:
        model = parse_model({**body.profile, **overrides}, "body", notes=notes)
    except NobubbleError as error:
        raise _problem(error, "/profile") from None
    found, _ = families(model)
    stages = max(len(family.placement) for family in found)
    _check_size(3 * stages * model.microbatches, max_ops)
    return AskedComparison(model, options, tuple(notes))


def read_solve(raw: bytes, model: type[SolveBody], *, max_ops: int, max_time_limit: float) -> Asked:
    """Read the body of a solve or a job.

    Raises
    ------
    ProblemError
    """
    body = _read(raw, model)
    options = body.options
    overrides = {} if options.objective is None else {"objective": options.objective}
    _check_time_limit(options, max_time_limit)
    profile, notes = _profile({**body.profile, **overrides}, max_ops)
    work = Work(
        profile=json_text(profile_document(profile)),
        method=options.method,
        effort=options.effort,
        seed=options.seed,
        time_limit=options.time_limit,
        ignore_memory_limit=options.ignore_memory_limit,
    )
    if isinstance(body, JobBody):
        return Asked(profile, work, notes, body.name, tuple(dict.fromkeys(body.tags)))
    return Asked(profile, work, notes, None, ())


def read_profile_body(raw: bytes, *, max_ops: int) -> tuple[Profile, tuple[str, ...]]:
    """Read a body that is a profile, and the notes on how it was rounded.

    Raises
    ------
    ProblemError
    """
    return _profile(_read(raw, ProfileBody).profile, max_ops)


def read_verify_body(raw: bytes) -> tuple[ScheduleDocument, Profile | None]:
    """Read a body with a schedule and perhaps a profile.

    Raises
    ------
    ProblemError
    """
    body = _read(raw, VerifyBody)
    try:
        schedule = parse_schedule(body.schedule)
    except NobubbleError as error:
        raise _problem(error, "/schedule") from None
    if body.profile is None:
        return schedule, None
    try:
        return schedule, parse_profile(body.profile)
    except NobubbleError as error:
        raise _problem(error, "/profile") from None


_Body = TypeVar("_Body", bound=BaseModel)


def _read(raw: bytes, model: type[_Body]) -> _Body:
    try:
        data = read_json(raw.decode("utf-8-sig"), "body")
    except UnicodeDecodeError as error:
        _refuse("", f"is not UTF-8 text (byte 0x{raw[error.start]:02x} at offset {error.start})")
    except RecursionError:
        _refuse("", "is nested too deeply")
    except ProfileError as error:
        raise _bad_request(list(error.faults)) from None
    if not isinstance(data, dict):
        _refuse("", f"is not an object but {shown(data)}")
    try:
        return model.model_validate(data)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_context=True)
        raise _bad_request([_told(fault, model) for fault in faults]) from None


def _profile(data: dict[str, Any], max_ops: int) -> tuple[Profile, tuple[str, ...]]:
    notes: list[str] = []
    try:
        profile = parse_profile(data, notes=notes)
    except NobubbleError as error:
        raise _problem(error, "/profile") from None
    _check_size(ops_of(profile), max_ops)
    return profile, tuple(notes)


def _check_time_limit(options: Options, most: float) -> None:
    limit = options.time_limit
    if limit is not None and limit > most:
        _refuse(
            "/options/time_limit",
            f"is {limit:g} s, but this service solves for {most:g} s at most; give less",
        )


def _check_size(ops: int, most: int) -> None:
    if ops > most:
        raise ProblemError(
            "too-large",
            f"the profile has {ops} ops (3 for every stage and microbatch), but this service takes "
            f"{most}; solve it by the command line, or have the operator raise NOBUBBLE_MAX_OPS",
            ops=ops,
            most=most,
        )


def ops_of(profile: Profile) -> int:
    """Count the F's, B's and W's."""
    return 3 * len(profile.stages) * profile.microbatches


def _told(fault: ErrorDetails, model: type[BaseModel]) -> Fault:
    """Put one of pydantic's faults into words: what was given, and what is allowed."""
    pointer = pointer_to(*fault["loc"])
    kind, given = fault["type"], shown(fault["input"])
    if kind == "missing":
        return Fault(pointer, "is missing")
    if kind == "extra_forbidden":
        name = str(fault["loc"][-1])
        options = CompareOptions if model is CompareBody else Options
        fields = (options if fault["loc"][0] == "options" else model).model_fields
        near = nearest(name, fields)
        hint = f"; is {near} meant?" if near else f"; there are {', '.join(fields)}"
        return Fault(pointer, f"is not known{hint}")
    text = fault["msg"]
    for opening in ("Input should be ", "Value should have ", "Value error, "):
        text = text.removeprefix(opening)
    return Fault(pointer, f"is {given}; allowed: {text}")


def _bad_request(faults: list[Fault]) -> ProblemError:
    shown_faults = faults[:MOST_FAULTS]
    places = [{"pointer": fault.pointer, "message": fault.message} for fault in shown_faults]
    first = shown_faults[0]
    return ProblemError(
        "bad-request",
        f"{first.pointer or 'the body'} {first.message}"
        + (f"; and {len(faults) - 1} more" if len(faults) > 1 else ""),
        errors=places,
    )


def _refuse(pointer: str, message: str) -> NoReturn:
    raise _bad_request([Fault(pointer, message)])


def _problem(error: NobubbleError, at: str) -> ProblemError:
    return ProblemError.of(problem_of(error, at))
