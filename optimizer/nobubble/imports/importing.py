"""From a table of actions to a verified schedule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from nobubble.bounds.best import best_bound
from nobubble.bounds.bound import Bound
from nobubble.errors import VerificationError
from nobubble.imports.fit import check_fit, split_stages
from nobubble.imports.ops import op_findings
from nobubble.imports.order import order_of_table, renumbering
from nobubble.imports.table import Table
from nobubble.imports.transfers import communication, transfer_findings
from nobubble.methods import IMPORTED
from nobubble.problem import BW, B, Problem
from nobubble.profile.model import Profile
from nobubble.profile.wording import enumerated
from nobubble.schedule.building import build_schedule
from nobubble.schedule.document import ScheduleDocument
from nobubble.solvers.named import allowing_what_it_uses
from nobubble.solvers.solution import Solution
from nobubble.verifier.channels import Kind
from nobubble.verifier.verify import verify


@dataclass(frozen=True, slots=True)
class Imported:
    """A schedule that somebody else wrote.

    Attributes
    ----------
    document : ScheduleDocument
        Verified; its transfers are placed as nobubble places them.
    communication : mapping or None
        What each kind of communication finds in the table's own transfers; None where it has none.
    notes : tuple of str
        What was left out, or taken in another way than it is written.
    """

    document: ScheduleDocument
    communication: Mapping[Kind, list[str]] | None
    notes: tuple[str, ...]


def import_schedule(
    table: Table, profile: Profile, *, ignore_memory_limit: bool = False
) -> Imported:
    """Time, bound and verify the schedule of a table.

    Parameters
    ----------
    table : Table
    profile : Profile
        What its ops cost.
    ignore_memory_limit : bool
        Take the profile without its memory limits.

    Raises
    ------
    InputError
        The table is not one of the profile: other ranks, stages, microbatches or placement.
    VerificationError
        It would hang, fail, run out of memory, or silently go wrong. Under some kind of
        communication is enough; the finding names it.
    """
    options: dict[str, object] = {"method": IMPORTED}
    if ignore_memory_limit:
        profile = replace(profile, memory_limit=(None,) * profile.ranks)
        options["ignore_memory_limit"] = True
    _raise_if(split_stages(table))
    check_fit(table, profile)
    _raise_if(op_findings(table, profile))
    judged = None
    if table.has_transfers:
        _raise_if(transfer_findings(table, profile))
        judged = communication(table)
        _raise_if(_told(judged))
    problem = Problem.of(profile)
    solution = Solution.of(IMPORTED, problem, order_of_table(table))
    bound = _bound(problem, solution)
    document = build_schedule(
        profile,
        problem,
        solution.order,
        solution.timing,
        bound,
        method=IMPORTED,
        stopped_by="proof" if solution.timing.cost(problem) == bound.value else "completed",
        options=options,
    )
    _raise_if(verify(document))
    notes = (*table.notes, *renumbering(table), *_other_backward(problem, solution))
    return Imported(document, judged, notes)


def _raise_if(findings: list[str]) -> None:
    if findings:
        raise VerificationError(findings)


def _told(judged: Mapping[Kind, list[str]]) -> list[str]:
    """Say what is found, each finding once, with the kinds of communication that it is about."""
    about: dict[str, list[Kind]] = {}
    for kind, texts in judged.items():
        for text in texts:
            about.setdefault(text, []).append(kind)
    right = [kind for kind, texts in judged.items() if not texts]
    aside = f" ({' and '.join(right)}: right)" if right else ""
    return [f"under {' and '.join(kinds)}{aside}: {text}" for text, kinds in about.items()]


def _bound(problem: Problem, solution: Solution) -> Bound:
    """Give the best bound; nothing is proven where no schedule keeps within memory."""
    peak = solution.timing.peak_memory - problem.static_memory
    if (peak > problem.capacity).any():
        return Bound("none", 0)
    return best_bound(allowing_what_it_uses(problem, solution))


def _other_backward(problem: Problem, solution: Solution) -> list[str]:
    """Say which stages run backward in a way that the profile does not ask for."""
    stage, kind = np.divmod(solution.order.letters, 4)
    fused = np.unique(stage[(kind == BW) & ~problem.may_fuse[stage]])
    split = np.unique(stage[(kind == B) & ~problem.may_split[stage]])
    notes = []
    if len(fused):
        notes.append(
            f"B (backward at once) runs on stages {enumerated(fused.tolist())}, whose backward the "
            "profile splits; its time is the profile's BW, or B and W together"
        )
    if len(split):
        notes.append(
            f"I and W run on stages {enumerated(split.tolist())}, whose backward the profile "
            "fuses; their times are the profile's B and W"
        )
    return notes
