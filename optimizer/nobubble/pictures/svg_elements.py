"""The elements of an SVG, as text."""

from __future__ import annotations

import re
from html import escape
from typing import Final

INK: Final = "#14181f"


def label(
    x: float, y: float, words: str, *, size: float = 13, fill: str = INK, anchor: str = "start"
) -> str:
    """Give a line of text, with no more attributes than it needs."""
    attributes = [f'x="{px(x)}"', f'y="{px(y)}"']
    attributes += [f'font-size="{px(size)}"'] if size != 13 else []
    attributes += [f'fill="{fill}"'] if fill != INK else []
    attributes += [f'text-anchor="{anchor}"'] if anchor != "start" else []
    return f"<text {' '.join(attributes)}>{text(words)}</text>"


def box(x: float, y: float, width: float, height: float) -> str:
    """Give a rectangle as a piece of a path."""
    return f"M{px(x)} {px(y)}h{px(width)}v{px(height)}h{px(-width)}z"


_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def text(words: str) -> str:
    """Escape text; characters that XML cannot hold become the replacement character."""
    return escape(_NOT_XML.sub("\ufffd", words))


def shortened(words: str, most: float) -> str:
    """Give text of at most so many characters."""
    return words if len(words) <= most else words[: max(1, int(most) - 1)] + "…"


def px(number: float) -> str:
    """Give pixels to the hundredth, as short as they are."""
    text = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def coarse_px(number: float) -> str:
    """Give pixels to the tenth."""
    text = f"{number:.1f}"
    return text[:-2] if text.endswith(".0") else text


def swatch(x: float, y: float, colour: str) -> str:
    """Give a square of a colour for a legend, on the line of its text."""
    return f'<rect x="{px(x)}" y="{px(y - 11)}" width="14" height="14" fill="{colour}"/>'
