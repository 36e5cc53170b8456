"""Whether the sends and receives among the ops are right, and cannot block for ever."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from nobubble.schedule.document import TransferAction
from nobubble.verifier.channels import Channels
from nobubble.verifier.findings import Findings, some
from nobubble.verifier.subject import TRANSFERS, Subject, is_compute, is_transfer, name

_LISTED: Final = 5


def check_transfers(subject: Subject, findings: Findings) -> None:
    """Check all transfers; the ops are each there once and on their rank."""
    before = len(findings)
    _check_each(subject, findings)
    if len(findings) > before:
        return
    _check_places(subject, findings)
    # What passes the strictest kind of communication passes all.
    for finding in Channels.of(subject.document).findings("rendezvous"):
        findings.add(finding)


def _peers(subject: Subject) -> dict[str, list[int | None]]:
    """Give the other rank of every kind of transfer of every stage; None where it has none."""
    placement = subject.profile.placement
    before: list[int | None] = [None]
    after: list[int | None] = []
    for here, there in pairwise(placement):
        before.append(here if here != there else None)
        after.append(there if here != there else None)
    after.append(None)
    return {"SEND_F": after, "RECV_F": before, "SEND_B": before, "RECV_B": after}


def _check_each(subject: Subject, findings: Findings) -> None:
    """Check that every transfer that is needed is there once, with its peer, and no other."""
    profile = subject.profile
    stages, m = len(profile.stages), profile.microbatches
    peers = _peers(subject)
    seen: dict[str, set[int]] = {op: set() for op in TRANSFERS}
    for rank, actions in enumerate(subject.document["ranks"]):
        for action in actions["actions"]:
            if not is_transfer(action):
                continue
            op, stage, microbatch = action["op"], action["stage"], action["microbatch"]
            if stage >= stages or microbatch >= m or profile.placement[stage] != rank:
                findings.add(f"rank {rank}: {name(action)}: {_why_not_here(subject, action)}")
                continue
            peer = peers[op][stage]
            if peer is None:
                findings.add(
                    f"rank {rank}: {name(action)} is not needed: {_why_not_needed(action, stages)}"
                )
            elif peer != action["peer"]:
                findings.add(
                    f"rank {rank}: {name(action)} has the peer {action['peer']}; it is rank {peer}"
                )
            key = stage * m + microbatch
            if key in seen[op]:
                findings.add(f"rank {rank}: {name(action)} is there more than once")
            seen[op].add(key)
    _check_missing(subject, peers, seen, findings)


def _why_not_here(subject: Subject, action: TransferAction) -> str:
    """Say why a transfer cannot be one of this rank's."""
    profile = subject.profile
    stages, m = len(profile.stages), profile.microbatches
    if action["stage"] >= stages:
        return f"there is no stage {action['stage']}; stages are 0 to {stages - 1}"
    if action["microbatch"] >= m:
        return f"there is no microbatch {action['microbatch']}; microbatches are 0 to {m - 1}"
    return f"stage {action['stage']} is on rank {profile.placement[action['stage']]}"


def _why_not_needed(action: TransferAction, stages: int) -> str:
    """Say why a stage has no such transfer."""
    stage = action["stage"]
    after = action["op"] in ("SEND_F", "RECV_B")
    if after and stage == stages - 1:
        return f"stage {stage} is the last"
    if not after and stage == 0:
        return "stage 0 is the first"
    return f"stage {stage + 1 if after else stage - 1} is on the same rank"


def _check_missing(
    subject: Subject,
    peers: dict[str, list[int | None]],
    seen: dict[str, set[int]],
    findings: Findings,
) -> None:
    """Check that no transfer is missing."""
    m = subject.profile.microbatches
    for op in TRANSFERS:
        for stage, peer in enumerate(peers[op]):
            if peer is None:
                continue
            absent = [j for j in range(m) if stage * m + j not in seen[op]]
            if absent:
                rank = subject.profile.placement[stage]
                way = "to" if op.startswith("SEND") else "from"
                findings.add(
                    f"rank {rank}: {op} of stage {stage} {way} rank {peer} is missing for "
                    f"microbatch {some(absent[:_LISTED], len(absent))}"
                )


def _check_places(subject: Subject, findings: Findings) -> None:
    """Check that outputs are sent directly after their op, and inputs received before theirs."""
    m = subject.profile.microbatches
    peers = _peers(subject)
    for rank, actions in enumerate(subject.document["ranks"]):
        received: dict[str, set[int]] = {"RECV_F": set(), "RECV_B": set()}
        previous: tuple[str, int] | None = None
        for action in actions["actions"]:
            stage = action["stage"]
            key = stage * m + action["microbatch"]
            op = action["op"]
            if is_compute(action):
                way = "F" if op == "F" else "B"
                previous = (way, key)
                if op == "W":
                    previous = None
                elif peers["RECV_" + way][stage] is not None and key not in received["RECV_" + way]:
                    findings.add(
                        f"rank {rank}: {subject.at(action)} comes before RECV_{way}({stage}, "
                        f"{action['microbatch']}), which it needs"
                    )
            elif op in received:
                received[op].add(key)
            elif previous != (op[-1], key):
                of = "F" if op == "SEND_F" else "the backward"
                findings.add(
                    f"rank {rank}: {name(action)} does not come directly after {of} of stage "
                    f"{stage}, microbatch {action['microbatch']}"
                )
