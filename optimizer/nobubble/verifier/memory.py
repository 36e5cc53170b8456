"""Whether every rank keeps within its memory at every moment."""

from __future__ import annotations

from nobubble.schedule.document import ComputeAction
from nobubble.verifier.findings import Findings
from nobubble.verifier.subject import OPS, Subject, cost


def check_memory(
    subject: Subject, rows: list[list[ComputeAction]], findings: Findings
) -> list[int]:
    """Check memory against the limits.

    An increase counts from an op's start, a decrease from its end, and workspace while it runs.
    The ops of a rank do not overlap, so their order says it all, also among ops of zero time.

    Returns
    -------
    list of int, shape (p,)
        The peak of every rank, static memory included, in bytes.
    """
    profile = subject.profile
    changes = {op: [cost(stage, op).memory for stage in profile.stages] for op in OPS}
    workspaces = {op: [cost(stage, op).workspace for stage in profile.stages] for op in OPS}
    peaks: list[int] = []
    for rank, row in enumerate(rows):
        held = peak = profile.static_memory[rank]
        limit = profile.memory_limit[rank]
        first: tuple[ComputeAction, int] | None = None
        worst: tuple[ComputeAction, int] | None = None
        for action in row:
            op, stage = action["op"], action["stage"]
            change = changes[op][stage]
            during = max(held, held + change) + workspaces[op][stage]
            held += change
            if during > peak:
                peak = during
                if limit is not None and during > limit:
                    worst = (action, during)
                    first = first or worst
        peaks.append(peak)
        if limit is None or peak <= limit:
            continue
        static = profile.static_memory[rank]
        if static > limit:
            findings.add(f"rank {rank}: static memory alone is {_over(subject, static, limit)}")
        elif first and worst:
            text = f"rank {rank}: {subject.at(first[0])} brings memory to "
            text += _over(subject, first[1], limit)
            if worst is not first:
                text += f"; the most is {subject.memory(worst[1])}, in {subject.at(worst[0])}"
            findings.add(text)
    return peaks


def _over(subject: Subject, memory: int, limit: int) -> str:
    return (
        f"{subject.memory(memory)}, {subject.memory(memory - limit)} over the limit of "
        f"{subject.memory(limit)}"
    )
