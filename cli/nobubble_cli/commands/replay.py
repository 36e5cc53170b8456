"""``nobubble replay``: what a schedule costs when times are not as planned."""

from __future__ import annotations

import re
import sys
from typing import Annotated

import typer

from nobubble.errors import InputError, VerificationError
from nobubble.replay.noise import LARGEST_NOISE, LARGEST_SLOWDOWN, Noise
from nobubble_cli.inputs import read_schedule_from
from nobubble_cli.messages import say
from nobubble_cli.output import write_stdout
from nobubble_cli.percentages import part
from nobubble_cli.progress import Progress
from nobubble_cli.replay_summary import histogram, replay_summary


def replay(
    schedules: Annotated[
        list[str],
        typer.Argument(
            metavar="SCHEDULE",
            help="Schedules that solve wrote, one of them - for stdin. Several are replayed under "
            "the same noise.",
        ),
    ],
    noise: Annotated[
        str,
        typer.Option(
            "--noise",
            metavar="X%",
            help="Standard deviation of every op and transfer, each time anew, around the planned "
            f"time; at most {LARGEST_NOISE:.0%}.",
        ),
    ] = "5%",
    rank_noise: Annotated[
        str,
        typer.Option(
            "--rank-noise",
            metavar="X%",
            help="Standard deviation of the speed of a rank from iteration to iteration; at most "
            f"{LARGEST_NOISE:.0%}.",
        ),
    ] = "0%",
    slow_rank: Annotated[
        list[str] | None,
        typer.Option(
            "--slow-rank",
            metavar="R:X%",
            help="Rank R is slower by X% throughout: a straggler. Can be given several times.",
        ),
    ] = None,
    samples: Annotated[
        int,
        typer.Option("--samples", metavar="N", min=1, max=10**6, help="How often to replay."),
    ] = 1000,
    seed: Annotated[
        int,
        typer.Option("--seed", metavar="N", min=0, max=2**63 - 1, help="Which noise to draw."),
    ] = 0,
) -> None:
    """Re-time a schedule under noise: how its cost spreads.

    Ranks keep to their order of ops, and run each as soon as they can. Every planned time is
    multiplied by a factor with mean 1, a bell that ends 3.47 standard deviations away.

    What the mean cost rises by has two parts: the busiest rank's work, which any order would pay,
    and that of the order, by waiting; below 0 where what ranks wait in the plan absorbs some of
    the first. The critical share of a rank is the part of the cost that its ops decide: were they
    1 % slower, the cost would rise by that share of 1 %.

    \b
    Example:
      nobubble replay schedule.json --noise 5% --slow-rank 3:10%
    """  # noqa: D301
    applied = Noise(
        op=part(noise, LARGEST_NOISE, "--noise"),
        rank=part(rank_noise, LARGEST_NOISE, "--rank-noise"),
        slow=_slow_ranks(slow_rank or []),
    )
    if schedules.count("-") > 1:
        raise typer.BadParameter("stdin can be given once only", param_hint="'SCHEDULE'")
    documents = [read_schedule_from(schedule) for schedule in schedules]

    reports, spreads = [], []
    with Progress() as progress:
        with progress.loading_kernels():
            from nobubble.replay.replay import replay as replay_schedule
            from nobubble.replay.report import report
        from nobubble.schedule.writing import json_text

        for schedule, document in zip(schedules, documents, strict=True):
            try:
                result = replay_schedule(
                    document, applied, samples=samples, seed=seed, progress=progress
                )
            except VerificationError as error:
                raise VerificationError(
                    [f"{schedule}: {text}" for text in error.findings]
                ) from None
            except InputError as error:
                raise InputError(f"{schedule}: {error}") from None
            figures = report(document, result)
            reports.append(figures)
            spreads.append(histogram(result.cost.tolist(), figures))
    write_stdout(
        json_text(
            {
                "noise": applied.op,
                "rank_noise": applied.rank,
                "slow_ranks": [
                    {"rank": rank, "slowdown": slowdown} for rank, slowdown in applied.slow.items()
                ],
                "samples": samples,
                "seed": seed,
                "replays": [
                    {"schedule": schedule, **figures}
                    for schedule, figures in zip(schedules, reports, strict=True)
                ],
            }
        )
    )
    for line in replay_summary(schedules, reports):
        say(line)
    if sys.stderr is not None and sys.stderr.isatty():
        for schedule, spread in zip(schedules, spreads, strict=True):
            for line in [schedule, *spread] if spread else []:
                say(line)


def _slow_ranks(entries: list[str]) -> dict[int, float]:
    """Read the values of --slow-rank, in the order of the ranks."""
    slow: dict[int, float] = {}
    for entry in entries:
        match = re.fullmatch("([0-9]{1,9}):(.*)", entry.strip())
        if match is None:
            raise typer.BadParameter(
                f"{entry!r} is not a rank and by how much it is slower, such as 3:10%",
                param_hint="'--slow-rank'",
            )
        rank = int(match[1])
        if rank in slow:
            raise typer.BadParameter(f"rank {rank} is given twice", param_hint="'--slow-rank'")
        slow[rank] = part(match[2], LARGEST_SLOWDOWN, "--slow-rank")
    return dict(sorted(slow.items()))
