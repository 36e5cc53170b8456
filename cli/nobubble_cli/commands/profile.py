"""``nobubble profile``: profiles and runs from something less than a measurement."""

from __future__ import annotations

from typing import Annotated

import typer

from nobubble_cli.inputs import read_schedule_from
from nobubble_cli.messages import say
from nobubble_cli.output import check_output, write_output
from nobubble_cli.overrides import MemoryLimitOption, overrides

profile = typer.Typer(
    name="profile",
    no_args_is_help=True,
    rich_markup_mode=None,
    help="Estimate a profile from a model's shape, or read a run from profiler traces.",
)

OutputOption = Annotated[
    str, typer.Option("-o", "--output", metavar="FILE", help="Where to write it, - for stdout.")
]


def _count(name: str, about: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(name, metavar="N", min=1, help=about)
    return option


@profile.command("from-model")
def from_model(
    hidden: Annotated[int, _count("--hidden", "Hidden size.")],
    layers: Annotated[int, _count("--layers", "Transformer layers.")],
    heads: Annotated[int, _count("--heads", "Attention heads.")],
    sequence: Annotated[int, _count("--sequence", "Tokens of a sample.")],
    ranks: Annotated[int, _count("--ranks", "Pipeline ranks.")],
    microbatches: Annotated[int, _count("--microbatches", "Microbatches of an iteration.")],
    microbatch_size: Annotated[int, _count("--microbatch-size", "Samples of one.")] = 1,
    vocabulary: Annotated[int, _count("--vocabulary", "Words of the head.")] = 50304,
    tensor_parallel: Annotated[
        int, _count("--tensor-parallel", "Devices that share every layer.")
    ] = 1,
    flops: Annotated[
        float, typer.Option("--flops", metavar="X", help="TFLOP/s of a device; an A100 has 312.")
    ] = 312.0,
    efficiency: Annotated[
        str,
        typer.Option(
            "--efficiency",
            metavar="F,B,W",
            help="The part of it that F, B and W reach, or one number for all.",
        ),
    ] = "0.56,0.58,0.78",
    bandwidth: Annotated[
        float, typer.Option("--bandwidth", metavar="X", help="GB/s between neighbouring ranks.")
    ] = 34.0,
    latency: Annotated[
        float, typer.Option("--latency", metavar="X", help="Microseconds of a message besides.")
    ] = 0.0,
    element_bytes: Annotated[int, _count("--element-bytes", "Of an activation.")] = 2,
    parameter_bytes: Annotated[
        float,
        typer.Option(
            "--parameter-bytes",
            metavar="X",
            help="Of a parameter with its gradient and optimizer state.",
        ),
    ] = 18.0,
    store_attention: Annotated[
        bool,
        typer.Option(
            "--store-attention/--flash-attention",
            help="Whether attention scores are kept for backward.",
        ),
    ] = True,
    memory_limit: MemoryLimitOption = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="What you call the model.")
    ] = None,
    output: OutputOption = "-",
) -> None:
    """Estimate a profile, in layers, from the shape of a transformer. It is not a measurement.

    \b
    Example:
      nobubble profile from-model --hidden 4096 --layers 30 --heads 32 --sequence 1024 --ranks 8 --microbatches 24
    """  # noqa: D301, E501
    speeds = _efficiency(efficiency)
    for option, value in (("--flops", flops), ("--bandwidth", bandwidth)):
        if not 0 < value < 1e9:
            raise typer.BadParameter(f"{value} is not above 0", param_hint=f"'{option}'")
    if not (0 <= latency < 1e9 and 0 <= parameter_bytes < 1e6):
        raise typer.BadParameter("it is negative, or huge", param_hint="'--latency'")
    keys = overrides(None, None, memory_limit, None)
    check_output(output)

    from nobubble.estimates.from_model import Shape, estimated_profile
    from nobubble.profile.reading import parse_profile
    from nobubble.schedule.writing import json_text

    shape = Shape(
        hidden=hidden,
        layers=layers,
        heads=heads,
        sequence=sequence,
        microbatch_size=microbatch_size,
        vocabulary=vocabulary,
        ranks=ranks,
        microbatches=microbatches,
        tensor_parallel=tensor_parallel,
        flops=flops * 1e12,
        efficiency=speeds,
        bandwidth=bandwidth * 1e9,
        latency=latency * 1e-6,
        element_bytes=element_bytes,
        parameter_bytes=parameter_bytes,
        stores_attention=store_attention,
    )
    document = {**estimated_profile(shape, name=name), **keys}
    parse_profile(document, "the estimate")
    write_output(output, json_text(document))
    say("note: an estimate from FLOPs and bytes, not a measurement: measure before you rely on it")
    if output != "-":
        say(f"written to {output}")


@profile.command("from-trace")
def from_trace(
    traces: Annotated[
        list[str],
        typer.Argument(
            metavar="TRACE", help="What torch.profiler exported (json, json.gz), one of every rank."
        ),
    ],
    schedule: Annotated[
        str, typer.Option("--schedule", metavar="SCHEDULE", help="The schedule that ran.")
    ],
    output: OutputOption = "-",
) -> None:
    """Read a run from profiler traces, to set it beside its plan with `nobubble diff`.

    Waiting for a receive is part of the profiler's spans; it is taken out up to when the input was
    there by the plan's communication times. nobubble_torch.record measures it instead.

    \b
    Example:
      nobubble profile from-trace rank*.json --schedule schedule.json -o run.json
    """  # noqa: D301
    check_output(output)
    document = read_schedule_from(schedule)

    from nobubble.estimates.from_trace import read_trace, run_of_traces
    from nobubble.profile.reading import parse_profile
    from nobubble.schedule.writing import json_text
    from nobubble.verifier.verify import assert_valid

    assert_valid(document)
    run = run_of_traces(
        [read_trace(trace) for trace in traces], document, parse_profile(document["profile"])
    )
    if not run["clock"]["shared"]:
        say("note: the traces are of several hosts, whose clocks may differ")
    write_output(output, json_text(run))
    if output != "-":
        say(f"{len(run['steps'])} steps are written to {output}")


def _efficiency(text: str) -> tuple[float, float, float]:
    """Read one number, or three."""
    try:
        parts = [float(part) for part in text.split(",")]
    except ValueError:
        parts = []
    if len(parts) not in (1, 3) or not all(0 < part <= 1 for part in parts):
        raise typer.BadParameter(
            f"{text!r} is not a part between 0 and 1, or three such as 0.56,0.58,0.78",
            param_hint="'--efficiency'",
        )
    f, b, w = parts * 3 if len(parts) == 1 else parts
    return f, b, w
