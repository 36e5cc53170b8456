"""How large a profile may be, so that every sum stays exact in an int64 and every time in a double.

Kept apart from the checks because the JSON Schema states these numbers too.
"""

from __future__ import annotations

from typing import Final

MAX_RANKS: Final = 10**5
MAX_STAGES: Final = 10**6
MAX_MICROBATCHES: Final = 10**6

MAX_STAGE_MICROBATCHES: Final = 10**8
"""Stages times microbatches."""

MAX_TOTAL_TIME: Final = 10**15
"""Nanoseconds: the ops and the communication of one iteration, all one after the other."""

MAX_MEMORY: Final = 2**50
"""Bytes (2^50): any single figure."""

MAX_TOTAL_MEMORY: Final = 2**62
"""Bytes: what the ops of one rank could hold if nothing were ever given back."""
