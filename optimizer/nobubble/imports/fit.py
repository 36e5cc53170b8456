"""Whether a table and a profile speak of the same pipeline."""

from __future__ import annotations

from nobubble.errors import InputError
from nobubble.imports.table import Cell, Table
from nobubble.profile.model import Profile
from nobubble.profile.wording import counted


def split_stages(table: Table) -> list[str]:
    """Find the stages that are on two ranks; PyTorch runs every stage on one."""
    first: dict[int, Cell] = {}
    found: dict[int, str] = {}
    for cell in table.ops():
        stage = cell.step.stage
        here = first.setdefault(stage, cell)
        if here.rank != cell.rank and stage not in found:
            found[stage] = (
                f"stage {stage} is on rank {here.rank} ({here}) and on rank {cell.rank} ({cell}); "
                "a stage has one rank"
            )
    return list(found.values())


def check_fit(table: Table, profile: Profile) -> None:
    """Check ranks, stages, microbatches and placement of a table without split stages.

    Raises
    ------
    InputError
        They are not the profile's; the message gives both.
    """
    source, ranks = table.source, len(table.rows)
    if ranks != profile.ranks:
        raise InputError(
            f"{source}: has {counted(ranks, 'row')}, one for every rank, and the profile has "
            f"{counted(profile.ranks, 'rank')}; give the profile that this table is of"
        )
    ops = list(table.ops())
    if not ops:
        raise InputError(f"{source}: has no F, I, W or B; a table has the ops of every rank")
    stages = max(cell.step.stage for cell in ops) + 1
    if stages != len(profile.stages):
        raise InputError(
            f"{source}: has stages 0 to {stages - 1}, and the profile has "
            f"{counted(len(profile.stages), 'stage')}; give the profile that this table is of"
        )
    microbatches = max(cell.step.microbatch for cell in ops) + 1
    if microbatches != profile.microbatches:
        raise InputError(
            f"{source}: has microbatches 0 to {microbatches - 1}, and the profile has "
            f"{profile.microbatches}; with --microbatches {microbatches} the profile has as many"
        )
    rank_of = {cell.step.stage: cell.rank for cell in ops}
    astray = [s for s, rank in enumerate(profile.placement) if rank_of.get(s, rank) != rank]
    if astray:
        stage = astray[0]
        placement = ",".join(str(rank_of.get(s, r)) for s, r in enumerate(profile.placement))
        raise InputError(
            f"{source}: puts stage {stage} on rank {rank_of[stage]}, and the profile on rank "
            f"{profile.placement[stage]}; with --placement {placement} the profile is placed as "
            "the table is"
        )
