"""The colours of the kinds of op, apart for every common form of colour blindness.

Hues after Okabe and Ito's and Tol's palettes: blue, amber, green and purple, which also differ in
lightness. The stages of a rank are shades of them.
"""

from __future__ import annotations

from typing import Final

HUES: Final = ("#2f6db5", "#f0a830", "#2a9d83", "#a8478f")
"""Of F, B, W and BW."""

TERMINAL: Final = ((25, 68), (214, 179), (30, 73), (126, 169))
"""Of F, B, W and BW among the 256 colours of a terminal: full and lighter."""

MEANINGS: Final = ("forward", "input gradient", "weight gradient", "both gradients")

LIGHTEST: Final = 0.5


def shade(kind: int, chunk: int, chunks: int) -> str:
    """Give the colour of an op of one of a rank's stages, from full (the first) to light."""
    part = LIGHTEST * chunk / (chunks - 1) if chunks > 1 else 0.0
    return "#" + "".join(f"{round(value + (255 - value) * part):02x}" for value in rgb(HUES[kind]))


def rgb(colour: str) -> tuple[int, int, int]:
    """Give the red, green and blue of ``#rrggbb``."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def ink(colour: str) -> str:
    """Give the colour of text that is legible on a colour."""
    red, green, blue = rgb(colour)
    return "#ffffff" if 0.299 * red + 0.587 * green + 0.114 * blue < 140 else "#14181f"
