"""The options --server and --token."""

from __future__ import annotations

from typing import Annotated, Any

import typer

_SERVER_HELP = "Address of a nobubble service, such as http://planner:8000."
_TOKEN_HELP = "Token of that service. Better set in the environment than given here."


def _server(command: str) -> Any:
    return typer.Option(
        "--server",
        metavar="URL",
        envvar=[f"NOBUBBLE_{command}_SERVER", "NOBUBBLE_SERVER"],
        help=_SERVER_HELP + " It solves instead, and gives the same bytes.",
    )


def _token(command: str) -> Any:
    return typer.Option(
        "--token",
        metavar="TOKEN",
        envvar=[f"NOBUBBLE_{command}_TOKEN", "NOBUBBLE_TOKEN"],
        help=_TOKEN_HELP,
    )


SolveServerOption = Annotated[str | None, _server("SOLVE")]
SolveTokenOption = Annotated[str | None, _token("SOLVE")]
CheckServerOption = Annotated[str | None, _server("CHECK")]
CheckTokenOption = Annotated[str | None, _token("CHECK")]
JobsServerOption = Annotated[
    str,
    typer.Option("--server", metavar="URL", envvar="NOBUBBLE_SERVER", help=_SERVER_HELP),
]
JobsTokenOption = Annotated[
    str | None,
    typer.Option("--token", metavar="TOKEN", envvar="NOBUBBLE_TOKEN", help=_TOKEN_HELP),
]
