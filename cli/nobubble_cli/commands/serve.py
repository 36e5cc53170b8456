"""``nobubble serve``: answer launchers over REST."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nobubble_api.setting_help import HELP


def _setting(name: str, metavar: str | None = None) -> typer.models.OptionInfo:
    """Give the option of a setting, with the setting's own environment name and help."""
    option: typer.models.OptionInfo = typer.Option(
        f"--{name.replace('_', '-')}",
        metavar=metavar,
        envvar=f"NOBUBBLE_{name.upper()}",
        help=HELP[name],
        show_default=False,
    )
    return option


def serve(
    host: Annotated[str | None, _setting("host", "ADDRESS")] = None,
    port: Annotated[int | None, _setting("port", "N")] = None,
    data_dir: Annotated[Path | None, _setting("data_dir", "DIR")] = None,
    database_url: Annotated[str | None, _setting("database_url", "URL")] = None,
    executor: Annotated[str | None, _setting("executor", "local|ADDRESS")] = None,
    workers: Annotated[int | None, _setting("workers", "N")] = None,
    tokens_file: Annotated[Path | None, _setting("tokens_file", "FILE")] = None,
    tokens: Annotated[str | None, _setting("tokens", "LINES")] = None,
    allow_anyone: Annotated[
        bool,
        typer.Option("--allow-anyone", envvar="NOBUBBLE_ALLOW_ANYONE", help=HELP["allow_anyone"]),
    ] = False,
    max_body: Annotated[int | None, _setting("max_body", "BYTES")] = None,
    body_timeout: Annotated[float | None, _setting("body_timeout", "SECONDS")] = None,
    max_ops: Annotated[int | None, _setting("max_ops", "N")] = None,
    sync_limit: Annotated[float | None, _setting("sync_limit", "SECONDS")] = None,
    max_time_limit: Annotated[float | None, _setting("max_time_limit", "SECONDS")] = None,
    max_queued: Annotated[int | None, _setting("max_queued", "N")] = None,
    max_streams: Annotated[int | None, _setting("max_streams", "N")] = None,
    keep_days: Annotated[float | None, _setting("keep_days", "DAYS")] = None,
    shutdown_grace: Annotated[float | None, _setting("shutdown_grace", "SECONDS")] = None,
    log_level: Annotated[str | None, _setting("log_level", "debug|info|warning|error")] = None,
) -> None:
    """Serve schedules over REST, with a page to try it at /.

    \b
    Example:
      nobubble serve --port 8000 --data-dir /var/lib/nobubble
    """  # noqa: D301
    given = {name: value for name, value in locals().items() if value is not None}
    if not allow_anyone:
        del given["allow_anyone"]

    from nobubble_api.server import serve as run
    from nobubble_api.settings import Settings

    run(Settings.read(**given))
