"""Whether the sends, receives and REDUCE_GRADs of a table are right."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from nobubble.imports.ops import twice
from nobubble.imports.table import REDUCE_GRAD, TRANSFERS, Cell, Table
from nobubble.profile.model import Profile
from nobubble.verifier.channels import KINDS, Channels, Kind, Step
from nobubble.verifier.findings import Findings, some

_LISTED = 5


def transfer_findings(table: Table, profile: Profile) -> list[str]:
    """Give what is wrong with each transfer of a table whose ops are right."""
    findings = Findings()
    transfers = [cell for row in table.rows for cell in row if cell.step.op in TRANSFERS]
    for text in (*twice(iter(transfers)), *_astray(transfers, profile), *_missing(table, profile)):
        findings.add(text)
    if not findings:
        for text in _misplaced(table):
            findings.add(text)
    for text in _reductions(table, profile):
        findings.add(text)
    return findings.texts()


def communication(table: Table) -> dict[Kind, list[str]]:
    """Say what each kind of communication makes of a table whose transfers are each right."""
    channels = Channels(
        [[cell.step for cell in row if cell.step.op != REDUCE_GRAD] for row in table.rows]
    )
    return {kind: channels.findings(kind) for kind in KINDS}


def _needed(profile: Profile) -> dict[tuple[str, int], int]:
    """Give the peer of every kind of transfer of every stage that has it."""
    peers = {}
    for stage, (here, after) in enumerate(pairwise(profile.placement)):
        if here != after:
            peers["SEND_F", stage] = peers["RECV_B", stage] = after
            peers["RECV_F", stage + 1] = peers["SEND_B", stage + 1] = here
    return peers


def _astray(transfers: list[Cell], profile: Profile) -> Iterator[str]:
    """Find the transfers of other ranks' stages, and those that there is no need of."""
    needed = _needed(profile)
    for cell in transfers:
        op, stage, microbatch = cell.step
        if stage >= len(profile.placement) or microbatch >= profile.microbatches:
            yield (
                f"{cell}: stages are 0 to {len(profile.placement) - 1}, microbatches 0 to "
                f"{profile.microbatches - 1}"
            )
        elif profile.placement[stage] != cell.rank:
            yield f"{cell}: stage {stage} is on rank {profile.placement[stage]}"
        elif (op, stage) not in needed:
            yield f"{cell}: nothing is transferred there, to or from another rank"


def _missing(table: Table, profile: Profile) -> Iterator[str]:
    """Find the transfers that are not there, for which a rank would wait for ever."""
    there = {cell.step for row in table.rows for cell in row}
    for (op, stage), peer in _needed(profile).items():
        absent = [j for j in range(profile.microbatches) if Step(op, stage, j) not in there]
        if absent:
            way = "to" if op.startswith("SEND") else "from"
            yield (
                f"rank {profile.placement[stage]}: {op} of stage {stage} {way} rank {peer} is "
                f"missing for microbatch {some(absent[:_LISTED], len(absent))}; a rank would wait "
                "for it until PyTorch gives up"
            )


def _misplaced(table: Table) -> Iterator[str]:
    """Find sends before what they send, and receives after the op that needs them."""
    for row in table.rows:
        done: set[tuple[str, int, int]] = set()
        for cell in row:
            op, stage, j = cell.step
            way = {"BW": "B"}.get(op, op)
            if op in ("SEND_F", "SEND_B") and (op[-1], stage, j) not in done:
                yield f"{cell} comes before the op whose output it sends"
            if op == "SEND_F" and ("B", stage, j) in done:
                yield f"{cell} comes after the backward, which frees what it sends"
            if op in ("RECV_F", "RECV_B") and (op[-1], stage, j) in done:
                yield f"{cell} comes after the op that needs what it receives"
            done.add((way, stage, j))


def _reductions(table: Table, profile: Profile) -> Iterator[str]:
    """Find the stages whose gradients would not be scaled, or not all, or twice."""
    seen: dict[int, Cell] = {}
    for row in table.rows:
        for cell in row:
            op, stage, _ = cell.step
            if op == REDUCE_GRAD:
                if profile.placement[stage : stage + 1] != (cell.rank,):
                    yield f"{cell}: stage {stage} is not on rank {cell.rank}"
                    continue
                if stage in seen:
                    yield f"{cell} is there more than once; it would scale the gradients again"
                seen[stage] = cell
            elif op in ("W", "BW") and stage in seen:
                yield (
                    f"{seen[stage]} comes before {cell}, which adds to the gradients: what it adds "
                    "would be neither scaled nor reduced, without a word"
                )
                return
    absent = [stage for stage in range(len(profile.placement)) if stage not in seen]
    if absent:
        yield (
            f"{REDUCE_GRAD} is missing for stage {some(absent[:_LISTED], len(absent))}: PyTorch "
            "would leave the gradients unscaled, without a word"
        )
