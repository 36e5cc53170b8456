"""How many stages there are, and on which rank each of them runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nobubble.errors import Fault
from nobubble.profile.limits import MAX_STAGES
from nobubble.profile.wording import counted, enumerated, pointer_to

if TYPE_CHECKING:
    from nobubble.profile.written import WrittenProfile

_CHOICES = "interleaved, v (two stages a rank), or a list with the rank of every stage"


def place(written: WrittenProfile) -> tuple[tuple[int, ...] | None, list[Fault]]:
    """Settle the rank of every stage.

    Returns
    -------
    placement : tuple of int, shape (S,), or None
        None where there are faults.
    faults : list of Fault
    """
    expected, fault = _expected_stages(written)
    if fault is not None:
        return None, [fault]
    listed = _listed(written)
    stages = expected if listed is None and expected is not None else listed or 1
    fault = _number_fault(written, stages, expected) or _chunks_fault(written, stages)
    if fault is not None:
        return None, [fault]
    ranks, placement = written.ranks, written.placement
    if isinstance(placement, list):
        faults = _list_faults(placement, ranks)
        return (None, faults) if faults else (tuple(placement), [])
    if placement == "v":
        return tuple(s if s < ranks else 2 * ranks - 1 - s for s in range(stages)), []
    # Linear is interleaved with one stage a rank.
    return tuple(s % ranks for s in range(stages)), []


def _listed(written: WrittenProfile) -> int | None:
    """Give the number of stages that are told apart; None where one stands for all."""
    if written.layers:
        return len(written.partition) or None
    stages = written.stages
    return len(stages) if isinstance(stages, list) and len(stages) > 1 else None


def _expected_stages(written: WrittenProfile) -> tuple[int | None, Fault | None]:
    """Give the number of stages that the placement asks for.

    None where the placement leaves it open: interleaved, with a list of stages.
    """
    ranks, placement = written.ranks, written.placement
    if isinstance(placement, list):
        return len(placement), None
    if placement == "v":
        return 2 * ranks, None
    if placement == "linear":
        return ranks, None
    if _listed(written) is not None:
        return None, None
    if "chunks" not in written.model_fields_set:
        what = "layers" if written.layers else "one stage object for all"
        return None, Fault(
            "/chunks",
            f"is missing; interleaved with {what} needs the number of stages a rank, such as "
            '"chunks": 2',
        )
    return written.chunks * ranks, None


def _number_fault(written: WrittenProfile, stages: int, expected: int | None) -> Fault | None:
    """Check that there are as many stages as the placement and the ranks ask for."""
    ranks, placement = written.ranks, written.placement
    there = f"{counted(stages, 'stage')} for {counted(ranks, 'rank')}"
    if stages > MAX_STAGES:
        return Fault("/chunks", f"makes {stages} stages; at most {MAX_STAGES} are possible")
    if isinstance(placement, list) and stages != expected:
        return Fault(
            "/placement",
            f"{counted(len(placement), 'number')} for {counted(stages, 'stage')}; a placement has "
            "the rank of every stage",
        )
    if stages < ranks:
        return Fault(
            "/placement" if isinstance(placement, list) else _list_of_stages(written),
            f"{there}; every rank has at least one stage",
        )
    if expected is None or stages == expected:
        return None
    if placement == "v":
        return Fault(
            "/placement",
            f"v has exactly two stages a rank, {expected} in all, but there are {there}",
        )
    if "placement" in written.model_fields_set:
        return Fault(
            "/placement",
            f"linear has one stage a rank, but there are {there}; give {_CHOICES}",
        )
    return Fault("/placement", f"is missing; {there} need one: {_CHOICES}")


def _chunks_fault(written: WrittenProfile, stages: int) -> Fault | None:
    """Check that ``chunks``, where it is given, agrees with the number of stages."""
    ranks, chunks = written.ranks, written.chunks
    if "chunks" not in written.model_fields_set or stages == chunks * ranks:
        return None
    if "placement" not in written.model_fields_set and _listed(written) is None:
        return Fault(
            "/placement", f"is missing; {counted(chunks, 'stage')} a rank need one: {_CHOICES}"
        )
    return Fault(
        "/chunks",
        f"{counted(chunks, 'stage')} a rank for {counted(ranks, 'rank')} are {chunks * ranks} "
        f"stages, but the {_who_says(written)} {stages}; leave chunks out",
    )


def _list_of_stages(written: WrittenProfile) -> str:
    """Give where the stages are told apart."""
    return "/partition" if written.layers else "/stages"


def _who_says(written: WrittenProfile) -> str:
    """Name what sets the number of stages."""
    if _listed(written) is not None:
        return "partition has" if written.layers else "list of stages has"
    if isinstance(written.placement, list):
        return "list of the placement has"
    return f"placement {written.placement} has"


def _list_faults(placement: list[int], ranks: int) -> list[Fault]:
    """Check a placement given as a list."""
    faults = [
        Fault(pointer_to("placement", s), f"rank {r} does not exist; ranks are 0 to {ranks - 1}")
        for s, r in enumerate(placement)
        if r >= ranks
    ]
    idle = sorted(set(range(ranks)) - set(placement))
    if idle and not faults:
        who = f"rank {idle[0]} has" if len(idle) == 1 else f"ranks {enumerated(idle)} have"
        faults.append(Fault("/placement", f"{who} no stage; every rank has at least one"))
    return faults
