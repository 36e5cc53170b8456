"""What all tests share."""

from __future__ import annotations

import os

from hypothesis import settings

# No deadlines: machines differ, and the first call of a kernel loads it. In CI every run draws the
# same examples, so that it cannot fail by chance on a change that has nothing to do with it.
settings.register_profile("nobubble", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("nobubble")
