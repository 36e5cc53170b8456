"""Whether the ops of a table can run: each there once, and after what it needs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from nobubble.imports.table import Cell, Table
from nobubble.profile.model import Profile
from nobubble.verifier.channels import Channels, Step
from nobubble.verifier.findings import Findings, some

_LISTED = 5


def op_findings(table: Table, profile: Profile) -> list[str]:
    """Give what is wrong with the ops of a table that fits its profile."""
    findings = Findings()
    for text in (*twice(table.ops()), *_incomplete(table, profile)):
        findings.add(text)
    if not findings:
        for text in chain(_too_early(table, profile), _losses(table, profile)):
            findings.add(text)
    if not findings:
        for text in _waiting(table, profile):
            findings.add(text)
    return findings.texts()


def twice(cells: Iterator[Cell]) -> Iterator[str]:
    """Find the actions that are there more than once."""
    first: dict[Step, Cell] = {}
    for cell in cells:
        there = first.setdefault(cell.step, cell)
        if there is not cell:
            yield f"{cell} is there already in row {there.rank + 1}, column {there.column}"


def _incomplete(table: Table, profile: Profile) -> Iterator[str]:
    """Find the microbatches that lack an op, or whose backward runs twice."""
    there = {cell.step for cell in table.ops()}
    for stage, rank in enumerate(profile.placement):
        has = {
            op: {j for j in range(profile.microbatches) if Step(op, stage, j) in there}
            for op in ("F", "B", "W", "BW")
        }
        everything = set(range(profile.microbatches))
        for what, microbatches in (
            ("has no F", everything - has["F"]),
            ("has no backward (I and W, or B)", everything - has["B"] - has["W"] - has["BW"]),
            ("has I but no W", has["B"] - has["W"]),
            ("has W but no I", has["W"] - has["B"]),
            ("has B, and I or W too", has["BW"] & (has["B"] | has["W"])),
        ):
            if microbatches:
                listed = some(sorted(microbatches)[:_LISTED], len(microbatches))
                yield f"rank {rank}: stage {stage} {what} for microbatch {listed}"


def _too_early(table: Table, profile: Profile) -> Iterator[str]:
    """Find the ops that come before something that they need on their own rank."""
    placement = profile.placement
    for rank, row in enumerate(table.rows):
        done: set[Step] = set()
        for cell in row:
            op, stage, j = cell.step
            needed = []
            if op == "F":
                if stage and placement[stage - 1] == rank:
                    needed = [Step("F", stage - 1, j)]
            elif op == "W":
                needed = [Step("B", stage, j)]
            elif op in ("B", "BW"):
                needed = [Step("F", stage, j)]
                if stage + 1 < len(placement) and placement[stage + 1] == rank:
                    needed.append(Step("B", stage + 1, j))
            for step in needed:
                if step not in done:
                    yield f"{cell} comes before {in_torch(step)}, which it needs"
            # What needs a backward needs the gradient of its input, which BW gives too.
            done.add(Step("B", stage, j) if op == "BW" else cell.step)


def _losses(table: Table, profile: Profile) -> Iterator[str]:
    """Find out whether PyTorch would take the losses of other microbatches.

    It keeps losses and outputs in the order in which the last stage makes them.
    """
    last = len(profile.placement) - 1
    row = table.rows[profile.placement[last]]
    forwards = [cell for cell in row if cell.step.op == "F" and cell.step.stage == last]
    for place, cell in enumerate(forwards):
        if cell.step.microbatch != place:
            yield (
                f"{cell} comes where the last stage's {last}F{place} is due; PyTorch gives losses "
                "and outputs by place, so those of other microbatches, without a word"
            )
            return


def _waiting(table: Table, profile: Profile) -> list[str]:
    """Find ops that wait for each other over the ranks, wherever transfers stand."""
    rows = [[step for cell in row for step in _with_send(cell.step, profile)] for row in table.rows]
    return Channels(rows).circle("directions")


def _with_send(step: Step, profile: Profile) -> list[Step]:
    """Give an op with the transfer of its output; of what is no op, nothing."""
    op, stage, j = step
    placement = profile.placement
    if op == "F" and stage + 1 < len(placement) and placement[stage + 1] != placement[stage]:
        return [step, Step("SEND_F", stage, j)]
    if op in ("B", "BW") and stage and placement[stage - 1] != placement[stage]:
        return [step, Step("SEND_B", stage, j)]
    return [step] if op in ("F", "B", "W", "BW") else []


def in_torch(step: Step) -> str:
    """Give an op as a table has it."""
    op = {"B": "I", "BW": "B"}.get(step.op, step.op)
    return f"{step.stage}{op}{step.microbatch}"
