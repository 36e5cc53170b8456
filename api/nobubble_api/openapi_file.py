"""Write the OpenAPI document to a file: ``python -m nobubble_api.openapi_file FILE``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from nobubble_api.app import create_app
from nobubble_api.openapi import openapi_of
from nobubble_api.settings import Settings


def main(arguments: list[str]) -> None:
    """Write the document to the file given on the command line."""
    app = create_app(Settings.model_construct())
    text = json.dumps(openapi_of(app), indent=2, ensure_ascii=False) + "\n"
    Path(arguments[0]).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
