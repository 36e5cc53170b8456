"""The command line, for tests of what it estimates."""

from tests.cli.conftest import run

__all__ = ["run"]
