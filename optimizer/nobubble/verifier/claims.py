"""Whether the figures that a document gives are those of its actions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from nobubble.profile.canonical import profile_sha256
from nobubble.profile.model import Profile
from nobubble.profile.wording import counted, shown
from nobubble.schedule.document import Number
from nobubble.verifier.findings import Findings
from nobubble.verifier.subject import Subject, whole
from nobubble.verifier.times import Times

# Rates are written as doubles: what is claimed may be off by their rounding, and no more.
_RELATIVE, _ABSOLUTE = 1e-12, 1e-15


def check_profile(subject: Subject, given: Profile | None, findings: Findings) -> None:
    """Check the profile's hash, and that it is the profile that was given."""
    actual = profile_sha256(subject.profile)
    claimed = subject.document["profile_sha256"]
    if claimed != actual:
        findings.add(f"profile_sha256 is given as {shown(claimed)}; the profile's is {actual}")
    if given is not None and profile_sha256(given) != actual:
        findings.add(
            "the schedule was made for another profile than the one given: they differ in "
            + ", ".join(_differences(subject.profile, given))
        )


def _differences(mine: Profile, given: Profile) -> Iterator[str]:
    """Name the parts in which two profiles differ, with both where they are short."""
    for part in ("ranks", "microbatches", "objective"):
        here, there = getattr(mine, part), getattr(given, part)
        if here != there:
            yield f"{part} ({here} in the schedule, {there} in the profile)"
    for part in (
        "placement",
        "stages",
        "communication_forward",
        "communication_backward",
        "memory_limit",
        "static_memory",
    ):
        if getattr(mine, part) != getattr(given, part):
            yield part


def check_layout(subject: Subject, findings: Findings) -> bool:
    """Check that ranks and placement are the profile's.

    Returns
    -------
    bool
        Whether the actions can be checked against the profile.
    """
    document, profile = subject.document, subject.profile
    before = len(findings)
    placement = document["placement"]
    if len(placement) != len(profile.placement):
        findings.add(
            f"placement has {counted(len(placement), 'stage')}, the profile "
            f"{len(profile.placement)}"
        )
    for stage, (here, there) in enumerate(zip(placement, profile.placement, strict=False)):
        if here != there:
            findings.add(
                f"placement puts stage {stage} on rank {here}, the profile on rank {there}"
            )
            break
    for where, ranks in (
        ("ranks", [row["rank"] for row in document["ranks"]]),
        ("metrics.ranks", [row["rank"] for row in document["metrics"]["ranks"]]),
    ):
        if len(ranks) != profile.ranks:
            findings.add(f"{where} has {counted(len(ranks), 'rank')}, the profile {profile.ranks}")
        else:
            wrong = next((at for at, rank in enumerate(ranks) if at != rank), None)
            if wrong is not None:
                findings.add(f"{where} has rank {ranks[wrong]} in the place of rank {wrong}")
    return len(findings) == before


def check_statements(subject: Subject, findings: Findings) -> None:
    """Check what follows from the profile and from the claims themselves."""
    document, profile = subject.document, subject.profile
    if document["objective"] != profile.objective:
        findings.add(
            f"objective is given as {document['objective']}; the profile's is {profile.objective}"
        )
    required = ["post_validation"] if profile.objective == "rank_span" else []
    if document["requires"] != required:
        findings.add(
            f"requires is given as {_words(document['requires'])}; for the objective "
            f"{profile.objective} it is {_words(required)}"
        )
    for rank, limit in enumerate(profile.memory_limit):
        claimed = document["metrics"]["ranks"][rank]["memory_limit"]
        size = subject.memory_size
        if (None if claimed is None else whole(claimed, size)) != limit or (
            claimed is not None and limit is None
        ):
            actual = "null" if limit is None else subject.memory(limit)
            given = "null" if claimed is None else f"{shown(claimed)} {profile.memory_unit}"
            findings.add(
                f"rank {rank}: memory_limit is given as {given}; the profile's is {actual}"
            )


def check_cost(subject: Subject, findings: Findings) -> None:
    """Check the cost against its metric and its bound; the metric is checked elsewhere."""
    document, profile = subject.document, subject.profile
    unit = profile.time_unit
    metric = document["metrics"][profile.objective]
    cost = whole(document["cost"], subject.time_size)
    if cost is None or cost != whole(metric, subject.time_size):
        findings.add(
            f"cost is given as {shown(document['cost'])} {unit}; {profile.objective} is "
            f"{shown(metric)} {unit}"
        )
    bound = whole(document["lower_bound"], subject.time_size)
    if bound is None:
        findings.add(
            f"lower_bound is {shown(document['lower_bound'])} {unit}, "
            "which is no whole number of nanoseconds"
        )
    if cost is None or bound is None:
        return
    if bound > cost:
        findings.add(
            f"lower_bound is {subject.time(bound)}, more than the cost of {subject.time(cost)}"
        )
    gap = Fraction(cost - bound, cost) if cost else Fraction(0)
    _check_rate("gap", document["gap"], gap, "cost and lower_bound", findings)
    status = "optimal" if bound == cost else "feasible"
    if document["status"] != status:
        relation = "equals" if bound == cost else "differs from"
        findings.add(
            f"status is given as {document['status']}; the cost of {subject.time(cost)} "
            f"{relation} the lower_bound of {subject.time(bound)}, so it is {status}"
        )
    elif document["stopped_by"] == "proof" and status != "optimal":
        findings.add("stopped_by is given as proof, but the lower_bound does not equal the cost")


def check_metrics(subject: Subject, times: Times, peaks: list[int], findings: Findings) -> None:
    """Check every figure of the actions; the times are right."""
    metrics = subject.document["metrics"]
    starts = [row[0] for row in times.start]
    ends = [row[-1] for row in times.end]
    busy = [sum(end) - sum(start) for start, end in zip(times.start, times.end, strict=True)]
    makespan = max(ends) - min(starts)
    rank_span = max(end - start for start, end in zip(starts, ends, strict=True))
    _check_time("makespan", metrics["makespan"], makespan, subject, findings)
    _check_time("rank_span", metrics["rank_span"], rank_span, subject, findings)
    cost = makespan if subject.profile.objective == "makespan" else rank_span
    bubble = 1 - Fraction(max(busy), cost) if cost else Fraction(0)
    idle = 1 - Fraction(sum(busy), len(busy) * cost) if cost else Fraction(0)
    _check_rate("bubble_rate", metrics["bubble_rate"], bubble, "the actions", findings)
    _check_rate("idle_rate", metrics["idle_rate"], idle, "the actions", findings)
    for rank, claimed in enumerate(metrics["ranks"]):
        of_rank = f"rank {rank}: "
        _check_time(of_rank + "busy", claimed["busy"], busy[rank], subject, findings)
        _check_time(of_rank + "start", claimed["start"], starts[rank], subject, findings)
        _check_time(of_rank + "end", claimed["end"], ends[rank], subject, findings)
        if whole(claimed["peak_memory"], subject.memory_size) != peaks[rank]:
            findings.add(
                f"rank {rank}: peak_memory is given as {shown(claimed['peak_memory'])} "
                f"{subject.profile.memory_unit}; the actions give {subject.memory(peaks[rank])}"
            )


def _check_time(
    what: str, claimed: Number, actual: int, subject: Subject, findings: Findings
) -> None:
    if whole(claimed, subject.time_size) != actual:
        findings.add(
            f"{what} is given as {shown(claimed)} {subject.profile.time_unit}; the actions give "
            f"{subject.time(actual)}"
        )


def _check_rate(
    what: str, claimed: Number, actual: Fraction, source: str, findings: Findings
) -> None:
    expected = float(actual)
    # The comparison comes first: what is far out may be too large for a float.
    representable = -1e300 < claimed < 1e300
    if not representable or not math.isclose(
        float(claimed), expected, rel_tol=_RELATIVE, abs_tol=_ABSOLUTE
    ):
        findings.add(f"{what} is given as {shown(claimed)}; {source} give {expected:.12g}")


def _words(items: Sequence[str]) -> str:
    return "[" + ", ".join(f'"{item}"' for item in items) + "]"
