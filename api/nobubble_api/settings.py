"""What an operator sets: by option, or by an environment variable ``NOBUBBLE_...``."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from nobubble.errors import InputError
from nobubble_api.setting_help import HELP

_Seconds = Annotated[float, Field(gt=0, le=10**7, allow_inf_nan=False)]
_Count = Annotated[int, Field(ge=1)]


class Settings(BaseSettings):
    """The settings of a service; each is described in `nobubble_api.setting_help`."""

    model_config = SettingsConfigDict(env_prefix="NOBUBBLE_", extra="ignore", frozen=True)

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = 8000
    data_dir: Path = Path("nobubble-data")
    database_url: SecretStr | None = None
    executor: str = "local"
    workers: _Count | None = None
    tokens_file: Path | None = None
    tokens: SecretStr | None = None
    allow_anyone: bool = False
    max_body: Annotated[int, Field(ge=1024)] = 10 * 2**20
    body_timeout: _Seconds = 30.0
    max_ops: _Count = 1_000_000
    sync_limit: Annotated[float, Field(ge=0, le=10**7, allow_inf_nan=False)] = 30.0
    max_time_limit: _Seconds = 3600.0
    max_queued: _Count = 1000
    max_streams: _Count = 1000
    keep_days: Annotated[float, Field(gt=0, le=10**5, allow_inf_nan=False)] = 30.0
    shutdown_grace: Annotated[float, Field(ge=0, le=10**5, allow_inf_nan=False)] = 20.0
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @classmethod
    def read(cls, **given: Any) -> Self:
        """Read the environment and what was given beside it.

        Raises
        ------
        InputError
            Lists every setting that is wrong, by its environment name.
        """
        try:
            return cls(**given)
        except ValidationError as error:
            raise InputError("\n".join(_fault(fault) for fault in error.errors())) from None

    @model_validator(mode="after")
    def _refuse_to_be_open(self) -> Self:
        if not (self.is_on_loopback() or self.allow_anyone or self.has_tokens()):
            raise ValueError(
                f"listening on {self.host} would let anyone in: give tokens (NOBUBBLE_TOKENS or "
                "NOBUBBLE_TOKENS_FILE), or say that this is meant (NOBUBBLE_ALLOW_ANYONE=1)"
            )
        return self

    def is_on_loopback(self) -> bool:
        """Say whether only this machine can connect."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def has_tokens(self) -> bool:
        """Say whether clients need a token."""
        return self.tokens_file is not None or (
            self.tokens is not None and bool(self.tokens.get_secret_value().strip())
        )

    def store_url(self) -> str:
        """Give the database's URL as SQLAlchemy takes it; makes the folder of SQLite's.

        Raises
        ------
        InputError
            The folder cannot be made, or the URL is for another database.
        """
        if self.database_url is None:
            try:
                self.data_dir.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                reason = (error.strerror or str(error)).lower()
                raise InputError(
                    f"NOBUBBLE_DATA_DIR: {self.data_dir} cannot be made: {reason}"
                ) from None
            return f"sqlite:///{self.data_dir.resolve() / 'nobubble.sqlite3'}"
        url = self.database_url.get_secret_value()
        scheme, separator, rest = url.partition("://")
        if separator and scheme in ("postgresql", "postgres", "postgresql+psycopg"):
            return f"postgresql+psycopg://{rest}"
        raise InputError(
            f"NOBUBBLE_DATABASE_URL: {scheme!r} is no database that nobubble knows; give "
            "postgresql://user@host/database, or leave it out for SQLite in NOBUBBLE_DATA_DIR"
        )


def _fault(fault: object) -> str:
    """Give one line for one of pydantic's faults; values may be secret and are not shown."""
    assert isinstance(fault, dict)
    message = str(fault["msg"]).removeprefix("Value error, ")
    if not fault["loc"]:
        return message
    name = str(fault["loc"][0])
    return f"NOBUBBLE_{name.upper()}: {message[:1].lower()}{message[1:]} ({HELP[name]})"
