"""How much of a document's lower bound can be proven again, from its profile alone.

The closed forms take milliseconds. What an exact solver proved takes its whole run: such a bound
is believed, and it is said that it is.
"""

from __future__ import annotations

from nobubble.bounds.best import CLOSED_FORMS, best_bound, lower_bounds
from nobubble.bounds.bound import Bound
from nobubble.problem import Problem
from nobubble.schedule.document import ScheduleDocument
from nobubble.verifier.findings import Findings
from nobubble.verifier.ops import is_fixed
from nobubble.verifier.subject import Subject, is_compute, whole


def check_bound(subject: Subject, findings: Findings) -> None:
    """Check that a bound which is named after a closed form is no higher than the closed forms.

    Parameters
    ----------
    subject : Subject
        All else that it says is right.
    findings : Findings
    """
    document = subject.document
    claimed = whole(document["lower_bound"], subject.time_size)
    name = document["bound"]
    if claimed is None or name not in CLOSED_FORMS:
        return
    problem = _problem(subject)
    if claimed <= best_bound(problem).value:
        return
    given = f"lower_bound is given as {subject.time(claimed)}, by {name}"
    found = next((bound for bound in lower_bounds(problem) if bound.name == name), None)
    if found is None:
        findings.add(f"{given}; that argument does not apply to this profile")
    else:
        findings.add(f"{given}; that argument gives {subject.time(found.value)}")


def proven_bound(subject: Subject) -> Bound:
    """Give the best closed form for a valid document, in ns."""
    return best_bound(_problem(subject))


def _problem(subject: Subject) -> Problem:
    """Give the problem that a document is a solution of.

    Where a schedule runs backward in its own way, that way is allowed, as it was for its bound.
    """
    problem = Problem.of(subject.profile)
    if not is_fixed(subject.document):
        return problem
    split, fused = problem.may_split.copy(), problem.may_fuse.copy()
    for rank in subject.document["ranks"]:
        for action in filter(is_compute, rank["actions"]):
            split[action["stage"]] |= action["op"] == "B"
            fused[action["stage"]] |= action["op"] == "BW"
    return problem.allowing(split=split, fused=fused)


def is_proven(document: ScheduleDocument, proven: Bound, time_size: int) -> bool:
    """Say whether the bound that a valid document gives is no higher than one that is proven."""
    claimed = whole(document["lower_bound"], time_size)
    return claimed is not None and claimed <= proven.value
