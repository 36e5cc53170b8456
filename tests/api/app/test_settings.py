"""Tests that the settings of the service and the options of `serve` are the same."""

from __future__ import annotations

import inspect

from nobubble_api.setting_help import HELP
from nobubble_api.settings import Settings
from nobubble_cli.commands.serve import serve


def test_every_setting_has_an_option_and_a_line_of_help() -> None:
    """Tests that nothing can be set in one way only."""
    names = list(Settings.model_fields)
    assert list(HELP) == names
    assert list(inspect.signature(serve).parameters) == names
