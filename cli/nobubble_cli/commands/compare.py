"""``nobubble compare``: the families of schedules side by side, and which to take."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nobubble.compiled.loading import load_kernels
from nobubble_cli.choices import one_of
from nobubble_cli.inputs import check_source
from nobubble_cli.messages import say
from nobubble_cli.output import check_output, write_output, write_stdout
from nobubble_cli.overrides import (
    MemoryLimitOption,
    MicrobatchesOption,
    ObjectiveOption,
    ProfilePath,
    overrides,
)
from nobubble_cli.progress import Progress
from nobubble_cli.solve_options import (
    EffortOption,
    MethodOption,
    SeedOption,
    SolveOptions,
    TimeLimitOption,
)

if TYPE_CHECKING:
    from nobubble.profile.layered import LayeredModel

FORMATS = ("auto", "table", "json")
SPLITTINGS = ("chosen", "min-max", "even")


def compare(
    profile: ProfilePath,
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            help="Where to write the recommended schedule; with --sweep-memory, the picture (SVG).",
        ),
    ] = None,
    sweep_memory: Annotated[
        bool,
        typer.Option(
            "--sweep-memory",
            help="Solve under memory limits from the smallest to none: time against memory.",
        ),
    ] = False,
    partition: Annotated[
        str,
        typer.Option(
            "--partition",
            metavar="|".join(SPLITTINGS),
            help="How layers are cut into stages: chosen by the schedules that come of it, so that "
            "the busiest rank has least to do, or evenly.",
        ),
    ] = "chosen",
    method: MethodOption = "auto",
    effort: EffortOption = "normal",
    seed: SeedOption = 0,
    time_limit: TimeLimitOption = None,
    objective: ObjectiveOption = None,
    microbatches: MicrobatchesOption = None,
    memory_limit: MemoryLimitOption = None,
    format: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="|".join(FORMATS),
            help="What to print; auto: a table on a terminal, JSON elsewhere.",
        ),
    ] = "auto",
) -> None:
    """Compare what a model can run under: linear, interleaved and V, by name and as solved.

    The profile says what its layers take, embedding and head among them ("layers"), or what its
    stages take: then a stage is the smallest piece.

    \b
    Example:
      nobubble compare model.json --memory-limit 57
      nobubble compare model.json --sweep-memory -o frontier.svg
    """  # noqa: D301
    one_of(format, FORMATS, "--format")
    one_of(partition, SPLITTINGS, "--partition")
    options = SolveOptions.of(method, effort, seed, time_limit)
    keys = overrides(objective, microbatches, memory_limit, None)
    if output is not None:
        check_output(output)
    model = _read(profile, keys)
    as_table = format == "table" or (
        format == "auto" and sys.stdout is not None and sys.stdout.isatty()
    )
    arguments = {
        "method": options.method,
        "effort": options.effort,
        "seed": options.seed,
        "time_limit": options.time_limit,
        "splitting": partition,
    }
    if sweep_memory:
        _sweep(model, arguments, output, as_table=as_table)
    else:
        _compare(model, arguments, output, as_table=as_table)


def _read(source: str, keys: dict[str, Any]) -> LayeredModel:
    from nobubble.profile.reading import read_model

    check_source(source, "PROFILE")
    notes: list[str] = []
    model = read_model(source, keys, notes=notes)
    for note in notes:
        say(f"note: {note}")
    return model


def _compare(
    model: LayeredModel, arguments: dict[str, Any], output: str | None, *, as_table: bool
) -> None:
    with Progress() as progress:
        with progress.loading_kernels():
            load_kernels()
        from nobubble.comparison.compare import compare as compare_families
        from nobubble.comparison.report import comparison_report
        from nobubble.schedule.writing import json_text

        comparison = compare_families(model, **arguments, progress=progress)
    if output is not None:
        write_output(output, json_text(comparison.best.document))
    if as_table:
        from nobubble_cli.comparison_table import comparison_table

        write_stdout(comparison_table(comparison))
    else:
        write_stdout(json_text(comparison_report(comparison)))
    if output is not None and output != "-":
        say(f"the recommended schedule is written to {output}")


def _sweep(
    model: LayeredModel, arguments: dict[str, Any], output: str | None, *, as_table: bool
) -> None:
    from nobubble.errors import InputError

    if not any(layer.costs.F.memory for layer in model.layers):
        raise InputError(
            "--sweep-memory: no op of this profile holds memory; give F, B and W their memory"
        )
    with Progress() as progress:
        with progress.loading_kernels():
            load_kernels()
        from nobubble.comparison.sweep import frontier_report, sweep_memory
        from nobubble.schedule.writing import json_text

        frontier = sweep_memory(model, **arguments, progress=progress)
    if output is not None:
        from nobubble.pictures.frontier import frontier_svg

        write_output(output, frontier_svg(frontier))
    if as_table:
        from nobubble_cli.comparison_table import frontier_table

        write_stdout(frontier_table(frontier))
    else:
        write_stdout(json_text(frontier_report(frontier)))
    if output is not None and output != "-":
        say(f"the picture is written to {output}")
