"""Whether every op starts as early as it can, and no earlier, and lasts as long as it should."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from nobubble.profile.wording import shown
from nobubble.schedule.document import ComputeAction
from nobubble.verifier.findings import Findings
from nobubble.verifier.subject import OPS, Subject, cost, name, whole


@dataclass(frozen=True, slots=True)
class Times:
    """The times that a document gives, in ns.

    Attributes
    ----------
    start, end : list of list of int
        Of every rank's ops, in the order in which it runs them.
    """

    start: list[list[int]]
    end: list[list[int]]


def read_times(
    subject: Subject, rows: list[list[ComputeAction]], findings: Findings
) -> Times | None:
    """Read every start and end; None when one is no whole number of nanoseconds."""
    size = subject.time_size
    before = len(findings)
    starts: list[list[int]] = []
    ends: list[list[int]] = []
    for rank, row in enumerate(rows):
        start_row: list[int] = []
        end_row: list[int] = []
        for action in row:
            start, end = whole(action["start"], size), whole(action["end"], size)
            if start is None or end is None:
                what = "starts" if start is None else "ends"
                given = shown(action["start"] if start is None else action["end"])
                findings.add(
                    f"rank {rank}: {name(action)} {what} at {given} {subject.profile.time_unit}, "
                    "which is no whole number of nanoseconds"
                )
                continue
            start_row.append(start)
            end_row.append(end)
        starts.append(start_row)
        ends.append(end_row)
    return Times(starts, ends) if len(findings) == before else None


def check_times(
    subject: Subject, rows: list[list[ComputeAction]], times: Times, findings: Findings
) -> None:
    """Check durations, and that every start is the end of all that the op must wait for.

    Every op is held against the claimed ends of what it waits for, so a single slip is found
    where it is and not in all that follows.
    """
    m = subject.profile.microbatches
    last_stage = len(subject.profile.stages) - 1
    durations = {op: [cost(stage, op).time for stage in subject.profile.stages] for op in OPS}
    forward_latency, backward_latency = _latencies(subject)
    forward_end, backward_end, backward_op = _outputs(subject, rows, times)
    for rank, row in enumerate(rows):
        free = 0
        previous: ComputeAction | None = None
        for action, start, end in zip(row, times.start[rank], times.end[rank], strict=True):
            op, stage = action["op"], action["stage"]
            key = stage * m + action["microbatch"]
            duration = durations[op][stage]
            if end - start != duration:
                findings.add(
                    f"rank {rank}: {name(action)} lasts {subject.time(end - start)}, from "
                    f"{subject.time(start)} to {subject.time(end)}; in the profile {op} of stage "
                    f"{stage} takes {subject.time(duration)}"
                )
            arrival = latency = 0
            source = ""
            if op == "F":
                if stage:
                    latency = forward_latency[stage - 1]
                    arrival = forward_end[key - m] + latency
                    source = "F"
            elif op != "W" and stage < last_stage:
                latency = backward_latency[stage]
                arrival = backward_end[key + m] + latency
                source = backward_op[key + m]
            if start != max(free, arrival):
                here = f"rank {rank}: {name(action)} starts at {subject.time(start)}"
                if start < free or (previous is None and start < 0):
                    until = (
                        f"{name(previous)} ends at {subject.time(free)}"
                        if previous is not None
                        else subject.time(0)
                    )
                    findings.add(f"{here}, before {until}")
                if source and start < arrival:
                    neighbour = stage - 1 if op == "F" else stage + 1
                    findings.add(
                        f"{here}, before its input arrives at {subject.time(arrival)} "
                        f"({source}({neighbour}, {action['microbatch']}) ends at "
                        f"{subject.time(arrival - latency)}, "
                        f"communication {subject.time(latency)})"
                    )
                if start > max(free, arrival):
                    findings.add(
                        f"{here}, later than it must: it could start at "
                        f"{subject.time(max(free, arrival))}"
                    )
            free = end
            previous = action


def _latencies(subject: Subject) -> tuple[list[int], list[int]]:
    """Give the communication time over every boundary of stages, forward and backward, in ns."""
    profile = subject.profile
    crosses = [a != b for a, b in pairwise(profile.placement)]
    forward, backward = profile.communication_forward, profile.communication_backward
    return (
        [time if cross else 0 for time, cross in zip(forward, crosses, strict=True)],
        [time if cross else 0 for time, cross in zip(backward, crosses, strict=True)],
    )


def _outputs(
    subject: Subject, rows: list[list[ComputeAction]], times: Times
) -> tuple[dict[int, int], dict[int, int], dict[int, str]]:
    """Give when every F and every B or BW ends, and which of the two it is."""
    m = subject.profile.microbatches
    forward: dict[int, int] = {}
    backward: dict[int, int] = {}
    kind: dict[int, str] = {}
    for row, ends in zip(rows, times.end, strict=True):
        for action, end in zip(row, ends, strict=True):
            op = action["op"]
            key = action["stage"] * m + action["microbatch"]
            if op == "F":
                forward[key] = end
            elif op != "W":
                backward[key] = end
                kind[key] = op
    return forward, backward, kind
