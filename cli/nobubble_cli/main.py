"""The program `nobubble`.

What is heavy (numpy, numba, pydantic) is imported by the command that needs it, when it runs, so
that help comes at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from nobubble._version import __version__
from nobubble_cli.commands.bound import bound
from nobubble_cli.commands.check import check
from nobubble_cli.commands.compare import compare
from nobubble_cli.commands.diff import diff
from nobubble_cli.commands.export import export
from nobubble_cli.commands.import_ import import_
from nobubble_cli.commands.jobs import jobs
from nobubble_cli.commands.profile import profile
from nobubble_cli.commands.render import render
from nobubble_cli.commands.replay import replay
from nobubble_cli.commands.serve import serve
from nobubble_cli.commands.show import show
from nobubble_cli.commands.solve import solve
from nobubble_cli.commands.verify import verify
from nobubble_cli.ending import Commands

app = typer.Typer(
    name="nobubble",
    cls=Commands,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={
        "auto_envvar_prefix": "NOBUBBLE",
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
    },
)
for command in (solve, compare, verify, bound, show, render, export, diff, replay, check, serve):
    app.command()(command)
app.command("import")(import_)
app.add_typer(profile)
app.add_typer(jobs)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"nobubble {__version__}")
        raise typer.Exit


@app.callback()
def nobubble(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            # NOBUBBLE_VERSION may well be set, and mean something else.
            allow_from_autoenv=False,
            show_envvar=False,
            help="Print the version and exit.",
        ),
    ] = False,
) -> None:
    """Plan pipeline-parallel training: find the order of operations with the fewest bubbles.

    JSON and pictures go to stdout or to the file of -o, everything else to stderr. Every option
    can also be set in the environment: NOBUBBLE_SOLVE_METHOD=greedy is solve --method greedy.

    \b
    Exit codes:
      0  done
      2  bad input or usage
      3  infeasible: no schedule keeps within the memory limits
      4  no schedule found within the time limit, or no answer from the service
      5  a check failed
    """  # noqa: D301


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program and exit with its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        Default: those of the process.
    """
    app(args=arguments, prog_name="nobubble")
