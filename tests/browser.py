"""A real browser for tests of pages: Debian's or Ubuntu's package ``chromium``.

Without a browser they are left out, but fail where CI is set. ``NOBUBBLE_TEST_BROWSER`` names one
by its path, or is ``none`` to leave them out everywhere.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

CHOICE = os.environ.get("NOBUBBLE_TEST_BROWSER", "")
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

in_browser = pytest.mark.skipif(CHOICE == "none", reason="NOBUBBLE_TEST_BROWSER=none")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start the browser once."""
    path = CHOICE or next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        missing = (
            "no browser to test the page in: install chromium (apt-get install chromium), or name "
            "one with NOBUBBLE_TEST_BROWSER=/path/to/it"
        )
        if os.environ.get("CI"):
            pytest.fail(f"{missing}; NOBUBBLE_TEST_BROWSER=none leaves these tests out")
        pytest.skip(missing)
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()
