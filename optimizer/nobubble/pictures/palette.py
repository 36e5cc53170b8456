"""The colours of the kinds of op, apart for every common form of colour blindness.

Blue, amber, green and purple also differ in lightness. The stages of a rank are shades of them.
"""

from __future__ import annotations

from typing import Final

HUES: Final = ("#2563ad", "#f0a830", "#47b39a", "#8c1d5c")
"""Of F, B, W and BW."""

TERMINAL: Final = ((25, 68), (214, 179), (36, 79), (89, 132))
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
    """Give black or white, whichever has the higher contrast to a colour: always over 4.5."""
    return "#ffffff" if luminance(colour) < 0.179 else "#000000"


def luminance(colour: str) -> float:
    """Give the relative luminance of WCAG 2, from 0 (black) to 1 (white)."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (value / 255 for value in rgb(colour))
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
