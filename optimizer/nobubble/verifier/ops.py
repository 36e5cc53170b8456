"""Whether every op is there once, on its rank, and in an order that can run."""

from __future__ import annotations

from itertools import islice
from typing import Final

from nobubble.methods import IMPORTED, is_named
from nobubble.schedule.document import ComputeAction, ScheduleDocument
from nobubble.verifier.findings import Findings, some
from nobubble.verifier.subject import OPS, Subject, is_compute, name

_LISTED: Final = 5
"""How many microbatches of a stage a finding lists."""


def compute_rows(subject: Subject) -> list[list[ComputeAction]]:
    """Give the ops of every rank, in the order in which it runs them."""
    return [list(filter(is_compute, rank["actions"])) for rank in subject.document["ranks"]]


def check_ops(subject: Subject, rows: list[list[ComputeAction]], findings: Findings) -> bool:
    """Check that the ops are those of the profile, each once and on its rank.

    Returns
    -------
    bool
        Whether they are, so that the order and the times of the ops can be checked.
    """
    profile = subject.profile
    stages, m = len(profile.stages), profile.microbatches
    before = len(findings)
    seen: dict[str, dict[int, ComputeAction]] = {op: {} for op in OPS}
    for rank, row in enumerate(rows):
        for action in row:
            op, stage, microbatch = action["op"], action["stage"], action["microbatch"]
            if stage >= stages:
                findings.add(
                    f"rank {rank}: {subject.at(action)}: there is no stage {stage}; "
                    f"stages are 0 to {stages - 1}"
                )
                continue
            if microbatch >= m:
                findings.add(
                    f"rank {rank}: {subject.at(action)}: there is no microbatch {microbatch}; "
                    f"microbatches are 0 to {m - 1}"
                )
                continue
            if profile.placement[stage] != rank:
                findings.add(
                    f"rank {rank}: {subject.at(action)} does not belong here: stage {stage} is on "
                    f"rank {profile.placement[stage]}"
                )
            key = stage * m + microbatch
            if key in seen[op]:
                findings.add(f"rank {rank}: {subject.at(action)} is there more than once")
            seen[op][key] = action
    of_stage: dict[str, list[set[int]]] = {op: [set() for _ in range(stages)] for op in OPS}
    for op in OPS:
        for key in seen[op]:
            of_stage[op][key // m].add(key % m)
    for s in range(stages):
        _check_complete(s, subject, of_stage, findings)
    complete = len(findings) == before
    if not is_fixed(subject.document):
        for s in range(stages):
            _check_backward(s, subject, of_stage, findings)
    return complete


def _check_complete(
    s: int, subject: Subject, of_stage: dict[str, list[set[int]]], findings: Findings
) -> None:
    """Check that a stage runs F and one kind of backward for every microbatch."""
    m = subject.profile.microbatches
    forward, split, weight, fused = (of_stage[op][s] for op in OPS)
    here = f"rank {subject.profile.placement[s]}: stage {s}"
    _tell_missing(f"{here} has no F", forward, m, findings)
    _tell_missing(f"{here} has no B or BW", split | fused, m, findings)
    _tell(f"{here} has both B and BW", split & fused, findings)
    _tell(f"{here} has B but no W", split - weight, findings)
    _tell(f"{here} has W but no B", weight - split, findings)


def _check_backward(
    s: int, subject: Subject, of_stage: dict[str, list[set[int]]], findings: Findings
) -> None:
    """Check that a stage runs backward as the profile allows."""
    here = f"rank {subject.profile.placement[s]}: stage {s}"
    allowed = subject.profile.stages[s].backward
    if allowed == "split":
        _tell(f"{here} must split its backward, but has BW", of_stage["BW"][s], findings)
    elif allowed == "fused":
        _tell(f"{here} must not split its backward, but has B", of_stage["B"][s], findings)


def _tell(what: str, microbatches: set[int], findings: Findings) -> None:
    """Say for which microbatches something is wrong, if for any."""
    if microbatches:
        listed = some(sorted(microbatches)[:_LISTED], len(microbatches))
        findings.add(f"{what} for microbatch {listed}")


def _tell_missing(what: str, present: set[int], microbatches: int, findings: Findings) -> None:
    """Say which of the microbatches 0 to m - 1 are not present; they may be very many."""
    number = microbatches - len(present)
    if number:
        absent = (j for j in range(microbatches) if j not in present)
        findings.add(f"{what} for microbatch {some(list(islice(absent, _LISTED)), number)}")


def is_fixed(document: ScheduleDocument) -> bool:
    """Say whether the schedule is one that fixes how backward runs, whatever the profile says."""
    asked = document["generator"]["options"].get("method")
    return any(is_named(str(name)) or name == IMPORTED for name in (document["method"], asked))


def check_order(subject: Subject, rows: list[list[ComputeAction]], findings: Findings) -> None:
    """Check that each rank's order has microbatches ascending, and what an op needs before it.

    What an op needs from another rank is for the times and the transfers to say.
    """
    placement, m = subject.profile.placement, subject.profile.microbatches
    last_stage = len(placement) - 1
    for rank, row in enumerate(rows):
        forwards: set[int] = set()
        backwards: set[int] = set()
        last: dict[str, dict[int, ComputeAction]] = {"F": {}, "B": {}, "W": {}}
        for action in row:
            op, stage, microbatch = action["op"], action["stage"], action["microbatch"]
            same = last["B" if op == "BW" else op]
            if stage in same and same[stage]["microbatch"] > microbatch:
                findings.add(
                    f"rank {rank}: {subject.at(action)} comes after {name(same[stage])}; "
                    "a stage runs its microbatches in ascending order"
                )
            else:
                same[stage] = action
            key = stage * m + microbatch
            needed: str | None = None
            if op == "F":
                if stage and placement[stage - 1] == rank and key - m not in forwards:
                    needed = f"F({stage - 1}, {microbatch})"
                forwards.add(key)
            elif op == "W":
                if key not in backwards:
                    needed = f"B({stage}, {microbatch})"
            else:
                if key not in forwards:
                    needed = f"F({stage}, {microbatch})"
                elif (
                    stage < last_stage and placement[stage + 1] == rank and key + m not in backwards
                ):
                    needed = f"the backward of stage {stage + 1}, microbatch {microbatch}"
                backwards.add(key)
            if needed is not None:
                findings.add(
                    f"rank {rank}: {subject.at(action)} comes before {needed}, which it needs"
                )
